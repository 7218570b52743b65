import type { Alias, Document, Node, Pair, YAMLMap } from 'yaml';
import { loadYamlLibrary } from '../yaml/read-by-library.ts';

const { isAlias, isCollection, isNode, isPair, isScalar, visit } = loadYamlLibrary();

/** What each alias of a document stands for. */
export type AliasTargets = ReadonlyMap<Alias, Node>;

/** Looks up what every alias stands for; to be called before anything is moved. */
export function findAliasTargets(document: Document): AliasTargets {
  const targets = new Map<Alias, Node>();
  visitAliases(document, (alias, target) => {
    if (target !== undefined) targets.set(alias, target);
    return undefined;
  });
  return targets;
}

/** The node that an alias stands for; any other node itself. */
export function toTarget(node: unknown, targets: AliasTargets): unknown {
  let found = node;
  for (let depth = 0; isAlias(found) && depth <= targets.size; depth += 1) found = targets.get(found);
  return found;
}

/** An alias that no longer stands behind its anchor gives way to a copy of what it stood for. */
export function keepAliases(document: Document, targets: AliasTargets): void {
  const all = new Map(targets);
  visitAliases(document, (alias, bound) => {
    const target = all.get(alias);
    return target === undefined || target === bound ? undefined : copy(target, alias, all);
  });
}

/** Calls `take` for each alias, with what its name stands for at that place; what it returns takes the place of the alias. */
function visitAliases(document: Document, take: (alias: Alias, bound: Node | undefined) => Node | undefined): void {
  const anchored = new Map<string, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) return take(node, anchored.get(node.source));
      if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchored.set(node.anchor, node);
      return undefined;
    },
  });
}

/** A copy without anchors; the aliases in it stand for what those in the original do. */
function copy(target: Node, alias: Alias, targets: Map<Alias, Node>): Node {
  const made = copyNode(target, targets) as Node;
  for (const key of ['comment', 'commentBefore', 'spaceBefore'] as const) {
    if (alias[key] === undefined) delete made[key];
    else Object.assign(made, { [key]: alias[key] });
  }
  return made;
}

function copyNode(node: unknown, targets: Map<Alias, Node>): unknown {
  if (!isNode(node)) return node;
  const made = node.clone();
  if (isAlias(node) && isAlias(made)) {
    const target = targets.get(node);
    if (target !== undefined) targets.set(made, target);
  } else if (isScalar(made)) delete made.anchor;
  else if (isCollection(made) && isCollection(node)) {
    delete made.anchor;
    made.items = node.items.map((item) => {
      if (!isPair(item)) return copyNode(item, targets);
      const pair = item.clone();
      pair.key = copyNode(item.key, targets);
      pair.value = copyNode(item.value, targets);
      return pair;
    });
  }
  return made;
}

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

export function findPair(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => toName(pair) === name);
}

export function toName(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Gives an entry another key; its comments stay. */
export function renameKey(pair: Pair, name: string): void {
  if (isScalar(pair.key)) pair.key.value = name;
}

/** What stands above the first key, behind a blank line, is about the whole file: it does not move with that key. */
export function keepHead(document: Document, root: YAMLMap): void {
  const key = root.items[0]?.key;
  const comment = isScalar(key) ? (key.commentBefore ?? '') : '';
  const end = comment.lastIndexOf('\n\n');
  if (!isScalar(key) || end === -1) return;
  const head = comment.slice(0, end);
  document.commentBefore = document.commentBefore ? `${document.commentBefore}\n\n${head}` : head;
  key.commentBefore = comment.slice(end + 2);
}

/** Whether lists are written `[ x ]` rather than `[x]`: most of them decide. */
export function isPadded(text: string): boolean {
  return (text.match(/[[{] \S/g)?.length ?? 0) > (text.match(/[[{][^\s\]}]/g)?.length ?? 0);
}
