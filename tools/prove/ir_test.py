"""Reading of IR and of expanded sources, on small texts."""

import tempfile
from collections import Counter
from pathlib import Path

from . import coverage, ir

IR = r'''
@table = private unnamed_addr constant [2 x i8] c"\01\FF", align 1
@"same one" = unnamed_addr alias void (ptr), ptr @first

; Function Attrs: nounwind
define void @first(ptr align 4 captures(none) %words, i32 range(i32 0, 2) %0) #0 personality ptr @other !dbg !1 {
start:
; call core::panic
  %1 = load i32, ptr %words, align 4, !dbg !4, !noundef !9
  switch i32 %1, label %"bb 1" [
    i32 0, label %bb2
  ], !dbg !5

"bb 1":                                           ; preds = %start
  br label %bb2

bb2:                                              ; preds = %start, %"bb 1"
  ret void
}

declare i32 @other(i32)

!1 = distinct !DISubprogram(name: "first", scope: !2, file: !3, line: 7, unit: !9)
!2 = !DINamespace(name: "inner", scope: !8)
!3 = !DIFile(filename: "src/a.rs", directory: "/somewhere")
!4 = !DILocation(line: 9, column: 3, scope: !6, inlinedAt: !5)
!5 = !DILocation(line: 8, column: 1, scope: !1)
!6 = !DILexicalBlock(scope: !7, file: !3, line: 9, column: 1)
!7 = !DISubprogram(name: "add<1>", linkageName: "_ZN5crate5inner4Pair3add3h01E", scope: !10, file: !3, line: 3)
!8 = !DINamespace(name: "crate", scope: null)
!10 = !DINamespace(name: "{impl#0}", scope: !2)
'''

EXPANDED = '''
mod inner {
    struct Pair;
    macro_rules! made { ($name:ident) => { #[target_feature(enable = $x)] fn $name() {} fn not_listed() {} } }
    impl Pair {
        /// fn comment() {}
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn add<const N: usize>(self) -> Self { let c = '{'; let s = "fn text() }"; self }
    }
    unsafe impl<T: Into<u8>> super::Trait<T> for super::other::Of<T> where T: Copy {
        fn plain(f: impl Fn(u8) -> u8) {}
    }
    const KERNELS: [u8; 2] = [{ fn fill() {} 1 }, { fn fill() {} 2 }];
}
'''


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'core.ll'
        path.write_text(IR)
        module = ir.Module(path)
    function = module.function('same one')
    assert function.name == 'first' and function.first == 'start'
    assert [name for _, name in function.parameters] == ['%words', '%0']
    assert function.blocks == {
        'start': [('%1 = load i32, ptr %words, align 4', 4),
                  ('switch i32 %1, label %"bb 1" [ i32 0, label %bb2 ]', 5)],
        'bb 1': [('br label %bb2', None)],
        'bb2': [('ret void', None)],
    }
    assert module.function('other') is None and module.constant('@other') is None
    assert module.constant('@table') == r'[2 x i8] c"\01\FF", align 1'
    chain = module.source_functions(4)
    assert [(x.file, x.line, x.name) for x in chain] == [('src/a.rs', 3, 'add<1>'), ('src/a.rs', 7, 'first')]

    add = coverage.Listed('inner', 'Pair', 'add', 'avx2')
    functions = coverage.listed(EXPANDED)
    assert functions == Counter({
        add: 1, coverage.Listed('inner', 'Of', 'plain', ''): 1, coverage.Listed('inner', '', 'fill', ''): 2})
    assert coverage.executed(functions, [(x.path, x.symbol) for x in chain]) == Counter({add: 1})


if __name__ == '__main__':
    main()
