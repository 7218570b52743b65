import { LIST_DAY, LIST_TABLE } from './list-price-table.ts';

/** US dollars for a million tokens. */
export interface ListPrice {
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** Absent: as input. */
  readonly cacheReadUsd?: number;
  /** Absent: as input. */
  readonly cacheWriteUsd?: number;
  /** The day on which it was true. */
  readonly asOf: string;
}

interface ListedModel {
  /** What it can read at once, in tokens; `null` where the list does not say. */
  readonly contextTokens: number | null;
  readonly price: ListPrice;
  /** What every token of a request costs that is longer. */
  readonly long: { readonly aboveTokens: number; readonly price: ListPrice } | null;
}

/**
 * The list price of a model, also of a dated snapshot of it (`claude-haiku-4-5-20251001`); `undefined` where it is not known. It holds for exactly these
 * names: a newer model with a longer name may cost something else.
 *
 * @param requestTokens length of the request, cached tokens included: long ones cost more with some models. Default: a short one.
 */
export function findListPrice(model: string, requestTokens = 0): ListPrice | undefined {
  const listed = findListed(model);
  if (listed === undefined) return undefined;
  return listed.long !== null && requestTokens > listed.long.aboveTokens ? listed.long.price : listed.price;
}

/** How many tokens a model can read at once; `null` where it is not known. */
export function findListedContext(model: string): number | null {
  return findListed(model)?.contextTokens ?? null;
}

function findListed(model: string): ListedModel | undefined {
  table ??= parseTable(LIST_TABLE);
  return table.get(model) ?? table.get(model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ''));
}

/** Parsed when it is first asked for: most commands never do. */
let table: ReadonlyMap<string, ListedModel> | undefined;

function parseTable(text: string): ReadonlyMap<string, ListedModel> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.flatMap((line) => {
      const [names = '', context = '-', ...columns] = line.split(' ');
      const above = columns[4];
      const long = above === undefined ? null : { aboveTokens: Number(above), price: toPrice(columns.slice(5)) };
      const listed = { contextTokens: context === '-' ? null : Number(context), price: toPrice(columns), long };
      return names.split(',').map((name) => [name, listed] as const);
    }),
  );
}

function toPrice([input, output, read = '-', write = '-']: readonly string[]): ListPrice {
  return {
    inputUsd: Number(input),
    outputUsd: Number(output),
    ...(read === '-' ? {} : { cacheReadUsd: Number(read) }),
    ...(write === '-' ? {} : { cacheWriteUsd: Number(write) }),
    asOf: LIST_DAY,
  };
}
