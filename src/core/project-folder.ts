/** The checks that a project can have. */
export type QualityKind = 'tests' | 'lint' | 'build' | 'typecheck';

/** The folder of a project, as far as it tells how the project is checked. */
export interface ProjectFolder {
  /** Names of the files and folders in it. */
  readonly names: readonly string[];
  /** The text of a file in it; `null` where there is none, or none that can be read. */
  readonly readText: (name: string) => string | null;
  /** Names of what is in a folder of it; absent: nobody looks there. */
  readonly namesIn?: (folder: string) => readonly string[];
}

/** How a project is checked, and the file that says so. */
export interface QualityCommand {
  /** Plain words with one space between them: nothing in it means anything to a shell. */
  readonly command: string;
  /** The name of the file. */
  readonly from: string;
}
