import type { Diagnostic } from '../findings/located.ts';
import { findingAt, type RuleInput, readWebAddress, withoutExcerpt } from './rule.ts';

/** News need somebody who gets them, at an address that can be written to. */
export function checkNotify(input: RuleInput): readonly Diagnostic[] {
  const { notify } = input.declared;
  if (notify === undefined) return [];
  const { command, url, secret } = notify;
  const report = (path: readonly string[], message: string, fix: string): readonly Diagnostic[] => [
    withoutExcerpt(
      findingAt(input, ['notify', ...path], {
        code: 'notify-invalid',
        severity: 'error',
        message,
        why: 'A person would wait for news that never come.',
        fix,
      }),
    ),
  ];
  if (url !== undefined && !isOpenAddress(url))
    return report(
      ['url'],
      '`notify.url` is no address that can be told anything.',
      'Write it with https:// or http://, and without a name or password in it.',
    );
  if (input.isBroken(['notify'])) return [];
  if (command === undefined && url === undefined)
    return report([], '`notify` says neither a command nor an address.', 'Write `command:` or `url:`, or take it away.');
  if (secret !== undefined && url === undefined)
    return report(['secret'], '`notify.secret` signs what an address gets, and there is none.', 'Write `url:`, or take `secret` away.');
  return [];
}

function isOpenAddress(text: string): boolean {
  const address = readWebAddress(text);
  return address !== null && address.username === '' && address.password === '';
}
