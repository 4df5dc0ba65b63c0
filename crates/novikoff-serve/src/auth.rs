//! Who may do what: bearer tokens with scopes, from a file. Tokens are compared by their hashes, in constant time, and are in no log.

use std::fs;
use std::path::Path;

use subtle::ConstantTimeEq as _;

use crate::problem::Problem;

/// What a request needs. Each scope has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Everybody may: health, the page, the OpenAPI document.
    Open,
    /// Predictions, descriptions, certificates, metrics.
    Predict,
    /// Labels.
    Learn,
    /// Models made, deleted, uploaded and downloaded.
    Admin,
}

impl Scope {
    /// As the file of tokens has it.
    fn name(self) -> &'static str {
        match self {
            Scope::Open => "open",
            Scope::Predict => "predict",
            Scope::Learn => "learn",
            Scope::Admin => "admin",
        }
    }
}

/// The least characters of a token: 32 random bytes are 43 characters of base64 or 64 of hex.
const LEAST: usize = 32;

/// The tokens of a file.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    list: Vec<([u8; 32], Scope)>,
}

fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

impl Tokens {
    /// Reads a file: one `SCOPE TOKEN` per line, `#` begins a comment.
    pub fn load(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| format!("{shown}: cannot read the tokens: {error}"))?;
        let tokens = Self::parse(&text).map_err(|what| format!("{shown}:{what}"))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(path).map_or(0, |about| about.permissions().mode());
            if mode & 0o077 != 0 {
                tracing::warn!(
                    "{shown}: others on this machine can read the tokens; `chmod 600` it"
                );
            }
        }
        Ok(tokens)
    }

    /// The tokens of a text. Errors name the line and not the token.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (scope, token) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let scope = match scope {
                "predict" => Scope::Predict,
                "learn" => Scope::Learn,
                "admin" => Scope::Admin,
                _ => {
                    return Err(format!(
                        "{number}: a line must be `SCOPE TOKEN`, with the scope predict, learn or admin"
                    ));
                }
            };
            let token = token.trim();
            if token.len() < LEAST {
                return Err(format!(
                    "{number}: a token of {} characters, at least {LEAST} are needed; `openssl rand -hex 32` makes one",
                    token.len()
                ));
            }
            if !token.bytes().all(|b| b.is_ascii_graphic()) {
                return Err(format!(
                    "{number}: a token must be one word of ASCII characters"
                ));
            }
            list.push((hash(token), scope));
        }
        if list.is_empty() {
            return Err("1: no token in the file".to_owned());
        }
        Ok(Tokens { list })
    }

    /// The scope of a token; every token is compared, however early one is equal.
    fn scope(&self, token: &str) -> Option<Scope> {
        let given = hash(token);
        let mut found = None;
        for (own, scope) in &self.list {
            if bool::from(own.ct_eq(&given)) {
                found = found.max(Some(*scope));
            }
        }
        found
    }

    /// Whether a request with this header may do what needs a scope.
    pub fn check(&self, authorization: Option<&str>, needed: Scope) -> Result<(), Problem> {
        if needed == Scope::Open {
            return Ok(());
        }
        let word = authorization.and_then(|header| header.split_once(' '));
        let token = word
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim());
        match token.map(|token| self.scope(token)) {
            None => Err(Problem::new(401, "no token")
                .detail("this server asks for a token: send `Authorization: Bearer TOKEN`")),
            Some(None) => {
                Err(Problem::new(401, "unknown token")
                    .detail("the server does not know this token"))
            }
            Some(Some(scope)) if scope < needed => Err(Problem::new(403, "scope").detail(format!(
                "this needs the scope {}, and the token has {}",
                needed.name(),
                scope.name()
            ))),
            Some(Some(_)) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    #[test]
    fn scopes_have_those_before_them() {
        let tokens = Tokens::parse(&format!("# who\npredict {A}\n\nadmin\t{B}\n")).expect("tokens");
        let check = |token: &str, scope| {
            tokens
                .check(Some(&format!("Bearer {token}")), scope)
                .map_err(|p| p.status())
        };
        assert_eq!(check(A, Scope::Predict), Ok(()));
        assert_eq!(check(A, Scope::Learn), Err(403));
        assert_eq!(check(B, Scope::Learn), Ok(()));
        assert_eq!(check(&A[1..], Scope::Predict), Err(401));
        assert_eq!(
            tokens.check(None, Scope::Predict).map_err(|p| p.status()),
            Err(401)
        );
        assert_eq!(
            tokens
                .check(Some(A), Scope::Predict)
                .map_err(|p| p.status()),
            Err(401)
        );
        assert_eq!(tokens.check(None, Scope::Open), Ok(()));
    }

    #[test]
    fn bad_files_name_the_line_and_not_the_token() {
        for text in [
            "",
            "root aaaa",
            "admin short-secret",
            &format!("admin {A} {B}"),
        ] {
            let error = Tokens::parse(text).expect_err("refused");
            assert!(!error.contains("secret") && !error.contains(A), "{error}");
        }
    }
}
