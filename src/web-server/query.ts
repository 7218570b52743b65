import { toBadRequest } from './refused.ts';

/** The part of an address behind `?`. Each reader throws Refused for what cannot be read. */
export interface Query {
  /** A whole number; `fallback` where it is not said. What is beyond the limits is brought to them. */
  readonly whole: (name: string, limits: { readonly min: number; readonly max: number; readonly fallback: number }) => number;
  /** The number of an input; `undefined` where it is not said. */
  readonly seq: (name: string) => number | undefined;
  /** A text of 1 to so many characters; `null` where it is not said. */
  readonly text: (name: string, maxLength: number) => string | null;
}

/** Reads a query; one that says a thing twice is refused. */
export function parseQuery(params: URLSearchParams): Query {
  const read = (name: string): string | null => {
    if (params.getAll(name).length > 1) throw toBadRequest(`"${name}" is said twice.`);
    return params.get(name);
  };
  const readWhole = (name: string): number | null => {
    const text = read(name);
    if (text === null) return null;
    const value = Number(text);
    if (!/^-?\d{1,15}$/.test(text)) throw toBadRequest(`"${name}" must be a whole number.`);
    return value;
  };
  return {
    whole: (name, { min, max, fallback }) => Math.max(min, Math.min(max, readWhole(name) ?? fallback)),
    seq: (name) => {
      const value = readWhole(name);
      if (value !== null && value < 0) throw toBadRequest(`"${name}" must not be below 0.`);
      return value ?? undefined;
    },
    text: (name, maxLength) => {
      const text = read(name);
      if (text !== null && (text === '' || text.length > maxLength))
        throw toBadRequest(`"${name}" must have 1 to ${maxLength} characters.`);
      return text;
    },
  };
}
