import type { HatSpec } from '../../core/index.ts';
import type { Topology } from '../topology.ts';
import type { IsOther } from './find-orders.ts';

/** Says for each hat which words name another one: ids, and names of one word, in lower case. */
export function createHatNames(topology: Topology): (hat: HatSpec) => IsOther {
  const names = new Map<string, string>();
  for (const { id, name } of topology.hats) for (const word of [id, name]) names.set(word.toLowerCase(), id);
  return (hat) => (word) => {
    const owner = names.get(word);
    return owner !== undefined && owner !== hat.id;
  };
}
