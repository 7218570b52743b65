import type { Pair, YAMLMap } from 'yaml';
import { loadYamlLibrary } from '../yaml-library.ts';

const { isCollection, isNode, isPair } = loadYamlLibrary();

/** Takes a key out of its map. Its comments, and those of its value, go above the next key, or to the end of the map. */
export function removePair(map: YAMLMap, pair: Pair): void {
  const index = map.items.indexOf(pair);
  map.items.splice(index, 1);
  const comments = listComments(pair);
  if (comments.length === 0) return;
  const next = map.items[index]?.key;
  if (isNode(next)) next.commentBefore = [...comments, ...listOwn(next.commentBefore)].join('\n');
  else map.comment = [...comments, ...listOwn(map.comment)].join('\n');
}

function listComments(item: unknown): readonly string[] {
  if (isPair(item)) return [...listComments(item.key), ...listComments(item.value)];
  if (!isNode(item)) return [];
  const inside = isCollection(item) ? item.items.flatMap(listComments) : [];
  return [...listOwn(item.commentBefore), ...inside, ...listOwn(item.comment)];
}

function listOwn(comment: string | null | undefined): readonly string[] {
  return comment === null || comment === undefined || comment === '' ? [] : [comment];
}
