import type { Diagnostic } from '../diagnostic.ts';

/** An address without what may be secret in it: who logs in, and what is behind a `?` or `#`. */
export function hideLogin(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//…@').replace(/[?#].*$/s, '?…');
}

/** A finding about what may be a secret: the line in which it stands is not shown. */
export function withoutExcerpt(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, excerpt: { text: '', column: 1 } };
}
