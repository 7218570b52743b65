import { isSecretName, isSecretValue, type SecretValue } from '../core/text/secrets.ts';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';

/** Longer values are known by their beginning. */
const MAX_SECRET_LENGTH = 1024;

/**
 * The secrets among variables of the environment: by their names, and the passwords in URLs. Values shorter than eight characters and plain numbers
 * are none: what would be left of an output without them would be useless. Of a value over several lines every line counts as a value.
 *
 * @param named secrets whatever they are called
 * @returns the longest first.
 */
export function findSecretValues(env: Environment, named: readonly SecretValue[] = []): readonly SecretValue[] {
  const found = new Map<string, string>();
  const add = (name: string, value: string): void => {
    if (isSecretValue(value) && !found.has(value)) found.set(value.slice(0, MAX_SECRET_LENGTH), name);
  };
  // Outputs are read line by line, so that a value is never seen whole where it has several.
  const addLines = (name: string, value: string): void => {
    for (const line of value.split(/\r?\n|\\n/)) add(name, line.trim());
  };
  for (const { name, value } of named) {
    add(name, value.trim());
    addLines(name, value);
  }
  for (const [name, value = ''] of Object.entries(env)) {
    for (const password of findPasswords(value)) add(name, password);
    if (!isSecretName(name) || /^\w+:\/\//.test(value)) continue;
    addLines(name, value);
  }
  return [...found].map(([value, name]) => ({ name, value })).toSorted((left, right) => right.value.length - left.value.length);
}

function findPasswords(value: string): readonly string[] {
  return [...value.matchAll(/\w+:\/\/[^\s:@/]*:([^\s@/]+)@/g)].flatMap(([, password = '']) => {
    const decoded = tryOr(() => decodeURIComponent(password), password);
    return decoded === password ? [password] : [password, decoded];
  });
}

/** What one kind of token looks like. `label` stands in their place; a group named `keep` in front of them stays. */
export interface TokenShape {
  readonly label: string;
  readonly pattern: RegExp;
  /** Whether what matched is one; absent: always. */
  readonly isToken?: (text: string) => boolean;
}

/** Words with dashes look like some keys; a key has a long piece of letters and digits mixed. */
function hasRandomPart(text: string): boolean {
  return text.split(/[-_]/).some((part) => part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part));
}

/** Every pattern takes time proportional to the text. */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  {
    label: 'private key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\,:.()]|-(?!-)){0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
    isToken: (text) => /[A-Za-z0-9+/]{32}/.test(text),
  },
  { label: 'API key', pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,300}/g, isToken: hasRandomPart },
  { label: 'Stripe key', pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,300}/g },
  { label: 'GitHub token', pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,300}/g },
  { label: 'GitHub token', pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,300}/g },
  { label: 'GitLab token', pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,300}/g },
  { label: 'npm token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,300}/g },
  { label: 'PyPI token', pattern: /(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{50,300}/g },
  { label: 'Slack token', pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,300}/g },
  { label: 'Hugging Face token', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,300}/g },
  { label: 'AWS key id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { label: 'Google API key', pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g },
  { label: 'Google token', pattern: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,2000}/g },
  { label: 'JSON web token', pattern: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,4000}/g },
  { label: 'bearer token', pattern: /(?<keep>\bBearer[ \t]{1,8})[A-Za-z0-9._~+/=-]{16,8000}/gi, isToken: (text) => /\d/.test(text) },
  { label: 'credentials', pattern: /(?<keep>\bAuthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?Basic[ \t]{1,8})[A-Za-z0-9+/=]{8,4000}/gi },
  { label: 'credentials', pattern: /(?<keep>\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/?#"'<>$`{}]{0,256}:[^\s@/?#"'<>$`{}]{1,1024}(?=@)/gi },
];
