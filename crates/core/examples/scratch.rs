use millrace_core::catalog::*;
use millrace_core::cipher::*;
use millrace_core::split::*;
use std::time::Instant;
fn best(mut f: impl FnMut()) -> f64 {
    let mut b = f64::MAX;
    for _ in 0..400 {
        let t = Instant::now();
        f();
        b = b.min(t.elapsed().as_nanos() as f64);
    }
    b
}
fn main() {
    for c in [Cipher::Aes128Gcm, Cipher::Aes256Gcm] {
        let key = CipherKey::boxed(c, &[7; 32][..c.facts().key_size]).unwrap();
        let mut text = vec![1u8; 256 << 10];
        let size = text.len();
        let mut tag = [0; 16];
        println!(
            "new {}",
            best(|| {
                let m = Message::new(&key, &[9; 12], &[], 1 << 30).unwrap();
                std::hint::black_box(&m);
            })
        );
        let m = Message::new(&key, &[9; 12], &[], 1 << 30).unwrap();
        let a = best(|| {
            key.seal(&[9; 12], &[], Text::InPlace(&mut text), &mut tag).unwrap();
        });
        let b = best(|| {
            m.seal_part(1 << 20, Text::InPlace(&mut text)).unwrap();
        });
        let d = best(|| {
            m.open_part(1 << 20, Text::InPlace(&mut text)).unwrap();
        });
        println!("{c:?} one {:.2} seal_part {:.2} open_part {:.2}", size as f64 / a, size as f64 / b, size as f64 / d);
        let m = Message::new(&key, &[9; 12], &[], size as u64 * 64).unwrap();
        let parts: Vec<_> = (0..64).map(|i| m.seal_part(i * size as u64, Text::InPlace(&mut text)).unwrap()).collect();
        println!("tag of 64 {}", best(|| m.tag(&parts, &mut tag).unwrap()));
    }
}
