import { isSecretName, isSecretValue, type SecretValue } from '../core/index.ts';

/** Longer values are known by their beginning. */
const maxSecretLength = 1024;

/**
 * The secrets among variables of the environment: by their names, and the passwords in URLs. Values shorter than eight characters and plain numbers
 * are none: what would be left of an output without them would be useless. Of a value over several lines every line counts as a value.
 *
 * @param named secrets whatever they are called
 * @returns the longest first.
 */
export function findSecretValues(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly SecretValue[] = [],
): readonly SecretValue[] {
  const found = new Map<string, string>();
  const add = (name: string, value: string): void => {
    if (isSecretValue(value) && !found.has(value)) found.set(value.slice(0, maxSecretLength), name);
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
    const decoded = decodePassword(password);
    return decoded === password ? [password] : [password, decoded];
  });
}

function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
