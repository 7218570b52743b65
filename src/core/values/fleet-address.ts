const FOLDER = 'file:';

/** The folder that an address of a fleet names, `file:/absolute/folder`, as it stands there; `null` for any other. */
export function toFleetFolder(address: string): string | null {
  return address.startsWith(FOLDER) ? address.slice(FOLDER.length).replace(/^\/\/(?=\/)/, '') : null;
}

/**
 * The servers that an address of a fleet names, each as an address of its own. Those of a cluster stand behind commas, who asks in the first: `nats://NAME:PASSWORD@a:4222,b:4222`. A comma in the name or
 * the password is none of these.
 */
export function listServers(address: string): readonly [string, ...string[]] {
  const [start = '', scheme = ''] = /^([a-z]+:\/\/)(?:[^@]*@)?/.exec(address) ?? [];
  const [first = '', ...more] = address.slice(start.length).split(',');
  return [start + first, ...more.map((host) => (host.includes('://') ? host : scheme + host))];
}
