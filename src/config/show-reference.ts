import type { Finding } from '../core/index.ts';
import type { LocatedValue } from './located-value.ts';
import { quote } from './value-finding.ts';

/** The finding about a value with the reference as it was written in the place of what the variable says: that may be a secret, and findings are passed on. */
export function showReference(finding: Finding, value: LocatedValue | undefined): Finding {
  if (value?.kind !== 'scalar' || value.reference === undefined) return finding;
  const { reference } = value;
  const words = String(value.value);
  const replace = (text: string): string =>
    ['"', '`'].reduce((shown, mark) => shown.replaceAll(quote(words, mark), () => quote(reference, mark)), text);
  const { repairs: _, ...rest } = finding;
  return { ...rest, message: replace(finding.message), why: replace(finding.why), fix: replace(finding.fix) };
}
