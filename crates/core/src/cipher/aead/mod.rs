//! Keys of authenticated encryption without a kernel of ours: by AWS-LC, or over messages in parts.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(not(feature = "aws-lc"))]
mod plain_key;

#[cfg(feature = "aws-lc")]
pub(crate) use self::aws_lc::AeadKey;
#[cfg(not(feature = "aws-lc"))]
pub(crate) use self::plain_key::AeadKey;
