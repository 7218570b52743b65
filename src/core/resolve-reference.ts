import { isJsonObject, type Json } from './json.ts';

/** What `#/a/b` leads to in a document; `undefined` where that is nothing. */
export function resolveReference(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: Json | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decode(step);
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function decode(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
