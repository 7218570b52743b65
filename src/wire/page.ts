/** A page of a list. */
export interface Page<Row> {
  /** The place of the first row. */
  readonly from: number;
  readonly rows: readonly Row[];
  /** How many there are in all. */
  readonly total: number;
}

/** Which rows, and of which moment (default: now). */
export interface PageOrder {
  /** The place of the first; below 0: counted from the end. */
  readonly from: number;
  /** At most `MAX_PAGE`. */
  readonly count: number;
  readonly seq?: number | undefined;
}
