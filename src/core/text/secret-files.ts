/** Names of files that are made to hold keys and passwords. */
const NAMES: readonly RegExp[] = [
  /^\.env(?:\..+)?$/i,
  /^.+\.env$/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /^\.(?:netrc|git-credentials|pgpass|htpasswd|dockercfg)$/i,
  /^_netrc$/i,
  /^(?:credentials|service[-_]account.*|client_secret.*)\.json$/i,
  /^secrets?\.(?:ya?ml|json|toml|properties|txt)$/i,
  /^(?:terraform\.tfvars|.+\.auto\.tfvars)$/i,
];
/** Folders whose every file is such a one. */
const FOLDERS = /(?:^|\/)\.(?:aws|ssh|gnupg|azure|kube)\//i;
/** Samples that show what to fill in. */
const SAMPLES = /(?:^|[._-])(?:example|sample|template|dist|defaults?|schema|test|pub)(?:\.[a-z]+)?$/i;

/** Shapes that are keys wherever they stand. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  /\bAIza[A-Za-z0-9_-]{35}\b/,
  /^\/\/[^\s:]+\/?:_(?:authToken|password)=\S{8,}/m,
];

/** Why a file looks like one that must not be published, by its name; `null` where it does not. */
export function judgeSecretName(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (FOLDERS.test(path)) return 'lies in a folder of keys';
  return NAMES.some((shape) => shape.test(name)) && !SAMPLES.test(name) ? 'has the name of a file with secrets' : null;
}

/** The same by what is in it. */
export function judgeSecretText(text: string): string | null {
  return SHAPES.some((shape) => shape.test(text)) ? 'has a key or token in it' : null;
}
