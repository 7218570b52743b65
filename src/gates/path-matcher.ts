export interface PathMatcher {
  readonly matches: (path: string) => boolean;
  /** The folders (with `/`, `''` for all) below which everything lies that can match. */
  readonly bases: readonly string[];
}

/**
 * Globs of paths relative to the workspace: `*` within a segment, `**` across, `{a,b}`; a folder means everything in it; a leading `!` takes out what an
 * earlier one named. Only exclusions mean: everything else.
 */
export async function createPathMatcher(globs: readonly string[]): Promise<PathMatcher> {
  const { default: picomatch } = await import('picomatch');
  const clean = globs.map((glob) => glob.trim().replace(/^(!?)\.\//, '$1')).filter((glob) => glob !== '' && glob !== '!');
  const toTest = (glob: string): ((path: string) => boolean) => {
    const body = glob.replace(/\/+$/, '');
    return picomatch([body, `${body}/**`], { dot: true });
  };
  const taken = clean.filter((glob) => !glob.startsWith('!'));
  const tests = clean.map((glob) => ({ takes: !glob.startsWith('!'), test: toTest(glob.replace(/^!/, '')) }));
  const isAll = taken.length === 0;
  return {
    matches: (path) => tests.reduce((is, { takes, test }) => (test(path) ? takes : is), isAll),
    bases: isAll ? [''] : [...new Set(taken.map((glob) => toBase(picomatch.scan(glob))))],
  };
}

/** A glob without magic is a file or a folder by itself. */
function toBase({ base, glob }: { readonly base: string; readonly glob: string }): string {
  return glob === '' ? base.replace(/\/+$/, '') : base === '.' ? '' : base;
}
