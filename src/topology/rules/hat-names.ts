import type { HatSpec } from '../../core/index.ts';
import type { Topology } from '../topology.ts';
import type { IsOther } from './find-orders.ts';

/** Says for each hat which words name another one: ids, and names of one word, in lower case. They are listed when first asked for. */
export function createHatNames(topology: Topology): (hat: HatSpec) => IsOther {
  let names: Map<string, string> | null = null;
  return (hat) => (word) => {
    names ??= listNames(topology);
    const owner = names.get(word);
    return owner !== undefined && owner !== hat.id;
  };
}

function listNames({ hats }: Topology): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name } of hats) names.set(id.toLowerCase(), id).set(name.toLowerCase(), id);
  return names;
}
