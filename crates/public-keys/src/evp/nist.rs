//! The curves of NIST over AWS-LC, with the bytes of keys.

use std::ptr;

use super::{Owned, failure, lc, succeeded};
use crate::error::Error;

/// A curve.
#[derive(Copy, Clone)]
pub(crate) struct Group {
    group: *const lc::EC_GROUP,
    name: i32,
    /// Bytes of a coordinate and of a scalar.
    pub(crate) size: usize,
}

/// A number from 1 to the order less 1.
struct Number(Owned<lc::BIGNUM>);

impl Group {
    /// Takes the number of a curve's name, and the bytes of a coordinate.
    pub(crate) fn new(name: i32, size: usize) -> Group {
        // SAFETY: returns a constant.
        Group { group: unsafe { lc::EC_GROUP_new_by_curve_name(name) }, name, size }
    }

    fn order(self) -> *const lc::BIGNUM {
        // SAFETY: a part of the constant.
        unsafe { lc::EC_GROUP_get0_order(self.group) }
    }

    /// Reads a scalar: not 0, and less than the order.
    fn scalar(self, bytes: &[u8]) -> Result<Number, Error> {
        if bytes.len() != self.size {
            return Err(Error::KeySize);
        }
        let number = number(bytes)?;
        // SAFETY: live numbers.
        let fits = unsafe {
            lc::BN_is_zero(number.get()) == 0 && lc::BN_cmp(number.get(), self.order()) < 0
        };
        if fits { Ok(Number(number)) } else { Err(Error::InvalidKey) }
    }

    fn new_point(self) -> Result<Owned<lc::EC_POINT>, Error> {
        // SAFETY: returns null or a new point.
        unsafe { Owned::new(lc::EC_POINT_new(self.group), Error::Memory) }
    }

    /// Reads a point in compressed or uncompressed form.
    fn point(self, bytes: &[u8]) -> Result<Owned<lc::EC_POINT>, Error> {
        match bytes {
            [2 | 3, rest @ ..] if rest.len() == self.size => {}
            [4, rest @ ..] if rest.len() == 2 * self.size => {}
            _ => return Err(Error::Point),
        }
        let (point, none) = (self.new_point()?, ptr::null_mut());
        let (data, size) = (bytes.as_ptr(), bytes.len());
        // SAFETY: reads the bytes, writes a live point.
        match unsafe { lc::EC_POINT_oct2point(self.group, point.get(), data, size, none) } {
            1 => Ok(point),
            _ => Err(failure(Error::Point)),
        }
    }

    /// Returns the product of a scalar and a point, by default the base point.
    fn product(
        self,
        Number(scalar): &Number,
        point: Option<&Owned<lc::EC_POINT>>,
    ) -> Result<Owned<lc::EC_POINT>, Error> {
        let (product, none) = (self.new_point()?, ptr::null_mut());
        let scalar = scalar.get().cast_const();
        let (of_base, point, of_point) = match point {
            None => (scalar, ptr::null(), ptr::null()),
            Some(point) => (ptr::null(), point.get().cast_const(), scalar),
        };
        // SAFETY: live points and numbers.
        succeeded(unsafe {
            lc::EC_POINT_mul(self.group, product.get(), of_base, point, of_point, none)
        })?;
        Ok(product)
    }

    /// Writes a point in the form that has the target's size.
    fn write(self, point: &Owned<lc::EC_POINT>, target: &mut [u8]) -> Result<(), Error> {
        use lc::point_conversion_form_t::{
            POINT_CONVERSION_COMPRESSED, POINT_CONVERSION_UNCOMPRESSED,
        };
        let form = match target.len().checked_sub(1) {
            Some(size) if size == self.size => POINT_CONVERSION_COMPRESSED,
            Some(size) if size == 2 * self.size => POINT_CONVERSION_UNCOMPRESSED,
            _ => return Err(Error::OutputSize),
        };
        let (bytes, size, none) = (target.as_mut_ptr(), target.len(), ptr::null_mut());
        // SAFETY: a live point; writes at most `size` bytes.
        let written =
            unsafe { lc::EC_POINT_point2oct(self.group, point.get(), form, bytes, size, none) };
        if written == size { Ok(()) } else { Err(failure(Error::Point)) }
    }

    pub(crate) fn public_key(self, key: &[u8], target: &mut [u8]) -> Result<(), Error> {
        self.write(&self.product(&self.scalar(key)?, None)?, target)
    }

    pub(crate) fn multiply(self, key: &[u8], peer: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let peer = self.point(peer)?;
        self.write(&self.product(&self.scalar(key)?, Some(&peer))?, target)
    }

    fn new_key(self) -> Result<Owned<lc::EC_KEY>, Error> {
        // SAFETY: returns null or a new key.
        unsafe { Owned::new(lc::EC_KEY_new_by_curve_name(self.name), Error::Memory) }
    }

    /// Returns the recovery number of a signature with this nonce and the s that it first has.
    fn recovery(self, nonce: &Number) -> Result<u8, Error> {
        let (point, none) = (self.product(nonce, None)?, ptr::null_mut());
        let (x, y) = (number(&[])?, number(&[])?);
        // SAFETY: live objects.
        unsafe {
            succeeded(lc::EC_POINT_get_affine_coordinates_GFp(
                self.group,
                point.get(),
                x.get(),
                y.get(),
                none,
            ))?;
            let beyond = lc::BN_cmp(x.get(), self.order()) >= 0;
            Ok(u8::from(beyond) << 1 | lc::BN_is_odd(y.get()) as u8)
        }
    }

    /// Signs with a nonce, and writes r and s, before them the recovery number if the target has a
    /// byte more: it takes as long as the signature. Returns false if the nonce is not from 1 to the
    /// order less 1.
    pub(crate) fn sign(
        self,
        digest: &[u8],
        key: &[u8],
        nonce: &[u8],
        low: bool,
        target: &mut [u8],
    ) -> Result<bool, Error> {
        let (secret, k) = match (self.scalar(key)?, self.scalar(nonce)) {
            (secret, Ok(k)) => (secret, k),
            (_, Err(Error::InvalidKey)) => return Ok(false),
            (_, Err(error)) => return Err(error),
        };
        let at = target.len().wrapping_sub(2 * self.size);
        if at > 1 {
            return Err(Error::OutputSize);
        }
        let (recovery, signature) = target.split_at_mut(at);
        if let [recovery] = recovery {
            *recovery = self.recovery(&k)?;
        }
        let key = self.new_key()?;
        let (r, s) = signature.split_at_mut(self.size);
        // SAFETY: live objects; the parts of a signature belong to it; writes as many bytes as each
        // half has. The nonce is that of RFC 6979: secret, uniform and of this message and key
        // only, as AWS-LC's own nonces are.
        unsafe {
            succeeded(lc::EC_KEY_set_private_key(key.get(), secret.0.get()))?;
            let made = Owned::new(
                lc::ECDSA_sign_with_nonce_and_leak_private_key_for_testing(
                    digest.as_ptr(),
                    digest.len(),
                    key.get(),
                    nonce.as_ptr(),
                    nonce.len(),
                ),
                Error::Engine,
            )?;
            let (mut made_r, mut made_s) = (ptr::null(), ptr::null());
            lc::ECDSA_SIG_get0(made.get(), &raw mut made_r, &raw mut made_s);
            succeeded(lc::BN_bn2bin_padded(r.as_mut_ptr(), r.len(), made_r))?;
            let other = self.other(made_s)?;
            if low && lc::BN_cmp(made_s, other.get()) > 0 {
                made_s = other.get();
                recovery.iter_mut().for_each(|number| *number ^= 1);
            }
            succeeded(lc::BN_bn2bin_padded(s.as_mut_ptr(), s.len(), made_s))?;
        }
        Ok(true)
    }

    /// Returns the order less a number.
    ///
    /// # Safety
    /// A live number.
    unsafe fn other(self, s: *const lc::BIGNUM) -> Result<Owned<lc::BIGNUM>, Error> {
        let other = number(&[])?;
        // SAFETY: live numbers.
        succeeded(unsafe { lc::BN_sub(other.get(), self.order(), s) })?;
        Ok(other)
    }

    pub(crate) fn verify(
        self,
        digest: &[u8],
        signature: &[u8],
        public: &[u8],
        low: bool,
    ) -> Result<bool, Error> {
        if signature.len() != 2 * self.size {
            return Err(Error::OutputSize);
        }
        let (point, key) = (self.point(public)?, self.new_key()?);
        let (r, s) = signature.split_at(self.size);
        let (r, s) = (number(r)?, number(s)?);
        // SAFETY: live objects; the signature takes over both numbers, which are given up.
        let status = unsafe {
            if low && lc::BN_cmp(s.get(), self.other(s.get())?.get()) > 0 {
                return Ok(false);
            }
            succeeded(lc::EC_KEY_set_public_key(key.get(), point.get()))?;
            let made = Owned::new(lc::ECDSA_SIG_new(), Error::Memory)?;
            succeeded(lc::ECDSA_SIG_set0(made.get(), r.get(), s.get()))?;
            std::mem::forget((r, s));
            lc::ECDSA_do_verify(digest.as_ptr(), digest.len(), made.get(), key.get())
        };
        Ok(succeeded(status).is_ok())
    }
}

/// Returns a number of big-endian bytes.
fn number(bytes: &[u8]) -> Result<Owned<lc::BIGNUM>, Error> {
    // SAFETY: reads the bytes; returns null or a new number.
    unsafe {
        Owned::new(lc::BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()), Error::Memory)
    }
}

/// Writes the leftmost bits of bytes, as many as the order has, modulo the order if asked
/// (RFC 6979, sections 2.3.2 and 2.3.4).
pub(crate) fn leftmost(
    group: Group,
    bytes: &[u8],
    reduce: bool,
    target: &mut [u8],
) -> Result<(), Error> {
    let found = number(bytes)?;
    // SAFETY: live numbers; writes as many bytes as the target has.
    unsafe {
        let bits = lc::BN_num_bits(group.order()) as usize;
        if let Some(more @ 1..) = (8 * bytes.len()).checked_sub(bits) {
            succeeded(lc::BN_rshift(found.get(), found.get(), more as i32))?;
        }
        if reduce && lc::BN_cmp(found.get(), group.order()) >= 0 {
            // A number of as many bits is less than twice the order.
            succeeded(lc::BN_sub(found.get(), found.get(), group.order()))?;
        }
        succeeded(lc::BN_bn2bin_padded(target.as_mut_ptr(), target.len(), found.get()))
    }
}
