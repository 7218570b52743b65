import type { Environment } from '../../core/values/environment.ts';

/** Whether a person sits before a whole terminal and wants it drawn on. */
export function wantsFullScreen(env: Environment, isTty: boolean): boolean {
  if (!isTty || env['TERM'] === 'dumb' || (env['CI'] ?? '') !== '') return false;
  return (env['ACCESSIBLE'] ?? '') === '' || env['ACCESSIBLE'] === '0';
}
