/** Where the address of a remote leads, as far as a forge can be asked about it. */
export interface RemotePlace {
  /** In small letters. A host without a dot is a name of the person's own for one (`Host work` of ssh). */
  readonly host: string;
  /** `owner/name`; null: the path has other parts than these two. */
  readonly repository: string | null;
}

/** `ssh://git@host:22/owner/name.git`, `https://host/owner/name`. A password may have an `@` in it; what stands behind the last one is the host. */
const WEB = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/:@?#]+)(?::\d*)?\/+([^?#]*)/i;
/** `git@host:owner/name.git`; a single letter is a drive of Windows, a path is none. */
const SHORT = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)\/*(.*)$/;

/** Other names of the same host. */
const SAME: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'www.github.com': 'github.com' };

/** Null for a folder and a file on this machine. */
export function parseRemote(url: string): RemotePlace | null {
  if (/^file:/i.test(url)) return null;
  const [, found, path = ''] = WEB.exec(url) ?? SHORT.exec(url) ?? [];
  if (found === undefined) return null;
  const host = found.toLowerCase();
  const repository = /^([\w.-]+\/[\w.-]+?)(?:\.git)?\/*$/.exec(path)?.[1] ?? null;
  return { host: SAME[host] ?? host, repository: repository?.split('/').some((part) => /^\.*$/.test(part)) ? null : repository };
}
