import type { Alias, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { ContentsBuilder, type LocatedContents } from './contents-builder.ts';
import type { SourceFile } from './source-file.ts';
import type { YamlLibrary } from './yaml-library.ts';

/** Turns the nodes of a YAML document into located values. */
export function locateContents(contents: ParsedNode | null, file: SourceFile, library: YamlLibrary): LocatedContents {
  const builder = new ContentsBuilder(file);
  if (contents !== null) new NodeReader(builder, library).read(contents);
  return builder.finished();
}

class NodeReader {
  private readonly builder: ContentsBuilder;
  private readonly library: YamlLibrary;

  constructor(builder: ContentsBuilder, library: YamlLibrary) {
    this.builder = builder;
    this.library = library;
  }

  read(node: unknown): void {
    const { isAlias, isMap, isScalar, isSeq } = this.library;
    if (isAlias(node)) this.readAlias(node);
    else if (isMap(node)) this.readMap(node);
    else if (isSeq(node)) this.readList(node);
    else if (isScalar(node)) this.readScalar(node);
    else this.builder.addEmpty(0);
  }

  private readAlias(node: Alias): void {
    const [start, end] = toRange(node.range);
    this.builder.addAlias(node.source, start, end);
  }

  private readMap(map: YAMLMap): void {
    const [start, end] = toRange(map.range);
    this.builder.open('map', start, map.anchor ?? null);
    for (const { key, value } of map.items) {
      this.read(key);
      if (value === null) this.builder.addEmpty(toRange((key as ParsedNode).range)[1]);
      else this.read(value);
    }
    this.builder.close(map.flow === true ? end : undefined);
  }

  private readList(list: YAMLSeq): void {
    const [start, end] = toRange(list.range);
    this.builder.open('list', start, list.anchor ?? null);
    for (const item of list.items) this.read(item);
    this.builder.close(list.flow === true ? end : undefined);
  }

  private readScalar({ value, source, range, type, anchor }: Scalar): void {
    const [start, end] = toRange(range);
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
    const written = source ?? (known === null ? '' : String(known));
    const isMerge = value === '<<' && type === 'PLAIN';
    this.builder.addScalar({
      value: known,
      written,
      start,
      end,
      anchor: anchor ?? null,
      isMerge,
      isBlock: type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED',
    });
  }
}

function toRange(range: readonly number[] | null | undefined): readonly [start: number, end: number] {
  return [range?.[0] ?? 0, range?.[1] ?? 0];
}
