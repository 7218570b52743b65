import ipaddr from 'ipaddr.js';

/** Public by their number, but answered by the machine's own cloud: Azure's WireServer. */
const METADATA = ['168.63.129.16'];
/** RFC 4291: what is given out as global unicast. The rest of IPv6 is reserved, or leads to IPv4 by some translation. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
const GLOBAL_BITS = 3;

/** True for an address of the public internet; false for what is no address, and for all that is private, local, shared, reserved, or translated. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !METADATA.includes(address.toString());
  return address.range() === 'unicast' && address.match(GLOBAL_IPV6, GLOBAL_BITS);
}
