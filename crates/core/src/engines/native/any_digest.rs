//! One type for all hashes, so that code for all of them is compiled once: the feature `erased`. A
//! call costs a jump by table.

use super::digest::Digest;
use super::digest_types::{self, digest_types, with_digest};
use super::hash_state::{HashState, OutputBlock};
use crate::catalog::Hash;
use crate::checkpoint::DigestSink;
use crate::inputs::Params;

macro_rules! any_digest {
    (() $($mac:ident),*; $($plain:ident),*) => {
        /// The state of any hash.
        #[derive(Clone)]
        #[allow(clippy::large_enum_variant)] // only BLAKE3's, which is never the state of a one-shot
        pub(crate) enum AnyDigest {
            $($mac(digest_types::$mac),)*
            $($plain(digest_types::$plain),)*
        }
    };
}

digest_types!(any_digest!());

/// Evaluates `$body` with `$state` as the state of the hash.
macro_rules! match_state {
    (($any:ident, $state:ident, $body:expr) $($mac:ident),*; $($plain:ident),*) => {
        match $any {
            $(AnyDigest::$mac($state) => $body,)*
            $(AnyDigest::$plain($state) => $body,)*
        }
    };
}

macro_rules! new {
    (($kind:ident, $params:ident) $($mac:ident),*; $($plain:ident),*) => {
        match $kind {
            $(Hash::$mac => AnyDigest::$mac(Digest::new($params)),)*
            $(Hash::$plain => AnyDigest::$plain(Digest::new($params)),)*
        }
    };
}

macro_rules! load {
    (($kind:ident, $params:ident, $state:ident) $($mac:ident),*; $($plain:ident),*) => {
        match $kind {
            $(Hash::$mac => Digest::load($params, $state).map(AnyDigest::$mac),)*
            $(Hash::$plain => Digest::load($params, $state).map(AnyDigest::$plain),)*
        }
    };
}

macro_rules! iterate {
    (($kind:ident, $outputs:ident, $count:ident) $($mac:ident),*; $($plain:ident),*) => {
        match $kind {
            $(Hash::$mac => Digest::iterate($kind, $outputs, |any| match any {
                AnyDigest::$mac(state) => state,
                _ => unreachable!("the outputs are of one hash"),
            }, $count),)*
            $(Hash::$plain => unreachable!("no HMAC"),)*
        }
    };
}

impl HashState for AnyDigest {
    type Kind = Hash;

    fn block(kind: Hash) -> usize {
        kind.facts().block_size
    }

    fn size(kind: Hash) -> usize {
        kind.facts().digest_size
    }

    #[inline(never)]
    fn min_batch(kind: Hash, size: usize) -> usize {
        with_digest!(kind, D => <D as Digest>::min_batch(size))
    }

    #[inline(never)]
    fn hmac_lanes(kind: Hash) -> usize {
        with_digest!(kind, D => <D as Digest>::hmac_lanes())
    }

    #[inline(never)]
    fn iterate(kind: Hash, outputs: &mut [OutputBlock<Self>], count: u32) {
        digest_types!(iterate!(kind, outputs, count));
    }

    #[inline(never)]
    fn new(kind: Hash, params: &Params<'_>) -> Self {
        digest_types!(new!(kind, params))
    }

    #[inline(never)]
    fn load(kind: Hash, params: &Params<'_>, state: &[u8]) -> Option<Self> {
        digest_types!(load!(kind, params, state))
    }

    #[inline(never)]
    fn digest(kind: Hash, params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        with_digest!(kind, D => if <D as Digest>::ONE_SHOT {
            return <D as Digest>::digest(params, source, target);
        });
        let mut state = Self::new(kind, params);
        state.finish_with(source, target);
        state.wipe();
    }

    #[inline(never)]
    fn update(&mut self, source: &[u8]) {
        digest_types!(match_state!(self, state, Digest::update(state, source)));
    }

    #[inline(never)]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        digest_types!(match_state!(self, state, Digest::finish_with(state, source, target)));
    }

    fn finish_copy(&self, source: &[u8], target: &mut [u8]) {
        if let Self::Blake3(state) = self {
            return Digest::finish_copy(state, source, target);
        }
        let mut copy = self.clone();
        copy.finish_with(source, target);
        copy.wipe();
    }

    #[inline(never)]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        digest_types!(match_state!(
            self,
            state,
            Digest::finish_batch(state, sources, target, sink)
        ));
    }

    #[inline(never)]
    fn save(&self, bytes: &mut [u8]) {
        digest_types!(match_state!(self, state, Digest::save(state, bytes)));
    }

    #[inline(never)]
    fn end_message(&mut self, size: usize) {
        digest_types!(match_state!(self, state, Digest::end_message(state, size)));
    }

    #[inline(never)]
    fn squeeze(&mut self, target: &mut [u8]) {
        digest_types!(match_state!(self, state, Digest::squeeze(state, target)));
    }

    #[inline(never)]
    fn squeezing(&self) -> bool {
        digest_types!(match_state!(self, state, Digest::squeezing(state)))
    }

    #[inline(never)]
    fn wipe(&mut self) {
        digest_types!(match_state!(self, state, Digest::wipe(state)));
    }
}
