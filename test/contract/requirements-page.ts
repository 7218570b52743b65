/** A requirement, or a law, with the tests that the page names for it. */
export interface Requirement {
  readonly id: string;
  readonly wording: string;
  readonly tests: readonly NamedTest[];
}

export interface NamedTest {
  readonly asBuilt: string;
  readonly file: string;
  readonly title: string;
  /** Words by which the test names the requirement. */
  readonly words: readonly string[];
}

const COLUMNS = 6;

/**
 * Reads the tables of requirements.md: each row with an id begins a requirement, rows without one go on with it.
 *
 * @throws Error for a row that has not six cells, or that belongs to nothing
 */
export function parseRequirements(page: string): readonly Requirement[] {
  const found: (Requirement & { readonly tests: NamedTest[] })[] = [];
  for (const line of page.split('\n').filter((text) => text.startsWith('|'))) {
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (cells.length !== COLUMNS || !line.endsWith('|')) throw new Error(`a row has ${cells.length} cells, not ${COLUMNS}: ${line}`);
    const [id = '', wording = '', asBuilt = '', file = '', title = '', words = ''] = cells;
    if (id === 'id' || /^-+$/.test(id)) continue;
    if (id !== '') found.push({ id, wording, tests: [] });
    const requirement = found.at(-1);
    if (requirement === undefined || (id === '' && wording !== '')) throw new Error(`a row belongs to no requirement: ${line}`);
    requirement.tests.push({ asBuilt, file: file.replace(/^`(.*)`$/, '$1'), title, words: toWords(words) });
  }
  return found;
}

function toWords(cell: string): readonly string[] {
  return cell
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
