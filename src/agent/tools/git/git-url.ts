import { accept, type Refusal, type Result, refuse, tryOr } from '../../../core/values/result.ts';

const ADVICE = 'Give an address such as https://github.com/owner/name.git or git@github.com:owner/name.git.';
const MAX_LENGTH = 1000;
/** `user@host:path`, what ssh users write. No part may begin with `-`: ssh would take it for an option. */
const SCP_LIKE = /^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/|:)([^\s-][^\s]*)$/;

/**
 * Checks the address of a remote for `git push`: https and ssh, without names and passwords for https, and no program
 * (`ext::`, `fd::`), no folder of this machine, no address that ssh would take for an option.
 *
 * @param allowedPrivateHosts `host:port` that may be spoken to by http.
 */
export function checkGitUrl(text: string, allowedPrivateHosts: readonly string[]): Result<string, Refusal> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (text.length > MAX_LENGTH || /[\s\u0000-\u001F\u007F-\u009F\\]/.test(text) || text.startsWith('-'))
    return refuseUrl('is no address of a repository');
  if (/^[A-Za-z0-9+.-]+::/.test(text)) return refuseUrl('names a program that git would start');
  if (!text.includes('://')) return checkScpLike(text);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return refuseUrl('is no address of a repository');
  const isAllowedHttp = url.protocol === 'http:' && allowedPrivateHosts.includes(`${url.hostname}:${url.port || '80'}`);
  if (url.protocol !== 'https:' && url.protocol !== 'ssh:' && !isAllowedHttp)
    return refuseUrl(`is ${url.protocol}, and only https and ssh are allowed`);
  if (url.password !== '' || (url.protocol !== 'ssh:' && url.username !== '')) {
    return refuseUrl('has a name or a password in it', 'Give it without them: git asks its credential helper.');
  }
  if (isOptionLike(url)) return refuseUrl('could be taken for an option of ssh');
  return accept(text);
}

function checkScpLike(text: string): Result<string, Refusal> {
  if (/^[A-Za-z]:/.test(text) && !text.includes('@')) return refuseUrl('is a folder of this machine');
  return SCP_LIKE.test(text) ? accept(text) : refuseUrl('is neither https nor ssh');
}

function isOptionLike(url: URL): boolean {
  const decoded = URL.canParse(url.href) ? safeDecode(`${url.username} ${url.hostname} ${url.pathname.replace(/^\/+/, '')}`) : '-';
  return url.hostname === '' || decoded.split(' ').some((part) => part.startsWith('-'));
}

function safeDecode(text: string): string {
  return tryOr(() => decodeURIComponent(text), '-');
}

function refuseUrl(why: string, advice = ADVICE): Result<never, Refusal> {
  return refuse({ reason: `The address ${why}.`, advice });
}

/** Takes names and passwords out of the addresses in a text. */
export function hideUserInfo(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*:[^\s/@]*@/gi, '$1[hidden]@').replace(/(\bhttps?:\/\/)[^\s/@]+@/gi, '$1[hidden]@');
}
