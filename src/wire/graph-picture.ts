/** A flow graph laid out, for whoever draws it: plain JSON, in pixels. Counts are not part of it, so that nothing moves while a run goes on. */
export interface GraphPicture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PictureNode[];
  readonly arrows: readonly PictureArrow[];
}

/** A rectangle; `x` and `y` are its top left corner. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PictureNode extends PictureBox {
  /** That of the node of the graph. */
  readonly id: string;
  readonly kind: string;
  /** What is written in it, from top to bottom; the first line is its title. */
  readonly lines: readonly string[];
}

/** What goes from one node to another. */
export interface PictureArrow {
  /** Ids of the edges of the graph that it stands for. */
  readonly edges: readonly string[];
  /** `d` of the line, and of its tip. */
  readonly line: string;
  readonly tip: string;
  readonly isFaint: boolean;
  readonly isWrong: boolean;
  readonly label: PictureBox;
  /** What is written on the label; each line is an edge or more. */
  readonly lines: readonly { readonly text: string; readonly isGated: boolean }[];
}
