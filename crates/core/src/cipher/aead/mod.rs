//! Keys of authenticated encryption without a kernel of ours: by AWS-LC, or over messages in parts.

#[cfg_attr(feature = "aws-lc", path = "aws_lc.rs")]
#[cfg_attr(not(feature = "aws-lc"), path = "plain_key.rs")]
mod key;

pub(crate) use self::key::AeadKey;
