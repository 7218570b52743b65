/** Where a server is, and who asks. */
export interface NatsPlace {
  /** `nats://host:4222`, `tls://…`; a name and a password may stand in it. */
  readonly url: string;
  /** A file of credentials, as `nsc` writes it; absent: what the address says. */
  readonly credentials?: string;
  /** Who it is, for whoever looks at the server. */
  readonly name: string;
}

/** A password in an address is no part of the name of the server. */
export function toServer(url: string): { readonly servers: string; readonly user?: string; readonly pass?: string } {
  const { protocol, host, username, password } = new URL(url);
  const servers = `${protocol}//${host}`;
  return username === '' ? { servers } : { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** The address without who asks. */
export function toShownUrl(url: string): string {
  try {
    return toServer(url).servers;
  } catch {
    return 'that address';
  }
}
