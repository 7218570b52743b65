import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { parseUndoRecord, type UndoRecord } from './undo-record.ts';
import { proposeUndo, type UndoProposal } from './undo-work.ts';

afterEach(removeTestFolders);

/** A repository in which a run works: each turn is a function that changes files. */
function openRun(files?: Readonly<Record<string, string>>) {
  const folder = createTestRepository(files);
  const runFolder = join(folder.env['HOME'] ?? '', 'run-1');
  const workspace = folder.workspace(null);
  const turns: string[] = [];
  let record: UndoRecord | null = null;
  let baseline: Baseline | null = null;
  const propose = (toTurn: number | null = null): Promise<UndoProposal> =>
    proposeUndo({
      ...folder.settings,
      runId: 'run-1',
      runFolder,
      turns,
      baseline,
      record,
      toTurn,
      baseCommit: null,
      endCommit: null,
    });
  const save = (made: UndoRecord): void => {
    record = parseUndoRecord(JSON.parse(JSON.stringify(made)));
    expect(record).toEqual(made);
  };
  return {
    folder,
    runFolder,
    propose,
    save,
    /** What is a person's own is known from here on. */
    async begin() {
      baseline = await folder.capture();
    },
    /** What is known of undos is lost. */
    forget() {
      record = null;
    },
    /** An undo that is killed when it has put down what it is about to do. */
    async beginUndo() {
      const proposal = await propose();
      await proposal
        .perform((made) => {
          save(made);
          throw new Error('killed');
        }, 1000)
        .catch(() => undefined);
    },
    /** A turn that is killed leaves no snapshot of its end. */
    async turn(work: () => void, isKilled = false) {
      const name = `${turns.length + 1}.1`;
      turns.push(name);
      await workspace.snapshot(name, 'before');
      work();
      if (!isKilled) await workspace.snapshot(name, 'after');
      await workspace.settle();
    },
    async undo(toTurn: number | null = null) {
      const proposal = await propose(toTurn);
      await proposal.perform(save, 1000);
      return proposal;
    },
  };
}

/** Everything in a folder but git's own: modes, links, bytes. */
function describeTree(folder: string): Readonly<Record<string, string>> {
  const list = (path: string): readonly string[] =>
    readdirSync(join(folder, path), { withFileTypes: true })
      .filter(({ name }) => !(path === '' && name === '.git'))
      .flatMap((entry) => (entry.isDirectory() ? list(join(path, entry.name)) : [join(path, entry.name)]));
  const describeFile = (path: string): string => {
    const stats = lstatSync(join(folder, path));
    if (stats.isSymbolicLink()) return `link ${readlinkSync(join(folder, path))}`;
    return `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path)).toString('base64')}`;
  };
  return Object.fromEntries(
    list('')
      .toSorted()
      .map((path) => [path, describeFile(path)]),
  );
}

describe('an undo', () => {
  it('puts back what a run changed, removed, renamed and made, with modes, links and bytes, and undoes itself', async () => {
    const run = openRun({ 'kept.txt': 'kept\n', 'run.sh': 'x\n', 'dir/old.txt': 'old\n', 'gone.txt': 'gone\n' });
    const { folder } = run;
    writeFileSync(join(folder.path, 'data.bin'), Buffer.from([0, 255, 10, 13, 0]));
    folder.link('way', 'kept.txt');
    folder.makeExecutable('run.sh');
    const before = describeTree(folder.path);
    await run.turn(() => {
      writeFileSync(join(folder.path, 'data.bin'), Buffer.from([1, 2, 0, 254]));
      folder.remove('way');
      folder.link('way', 'nowhere');
      folder.write('made/deep/new.txt', 'new\n');
      folder.git('mv', 'dir/old.txt', 'moved.txt');
      chmodSync(join(folder.path, 'run.sh'), 0o644);
    });
    await run.turn(() => {
      folder.remove('gone.txt');
      folder.write('gone.txt/now.txt', 'a folder\n');
      folder.write("odd\nname 'x.txt", 'odd\n');
    });
    const after = describeTree(folder.path);
    await run.undo();
    expect(describeTree(folder.path)).toEqual(before);
    expect(existsSync(join(folder.path, 'made'))).toBe(false);
    await run.undo();
    expect(describeTree(folder.path)).toEqual(after);
    await run.undo();
    expect(describeTree(folder.path)).toEqual(before);
  });

  it('goes back behind a turn', async () => {
    const run = openRun();
    await run.turn(() => run.folder.write('one.txt', '1\n'));
    const behindFirst = describeTree(run.folder.path);
    await run.turn(() => run.folder.write('one.txt', '2\n'));
    await run.turn(() => run.folder.write('three.txt', '3\n'));
    expect(await run.undo(1)).toMatchObject({ turns: ['2.1', '3.1'], toTurn: 1 });
    expect(describeTree(run.folder.path)).toEqual(behindFirst);
  });

  it('leaves alone what a person changed elsewhere, during the run and after it, and names what was changed since', async () => {
    const run = openRun({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    run.folder.write('b.txt', 'mine, between turns\n');
    await run.turn(() => run.folder.write('c.txt', 'agent\n'));
    run.folder.write('mine.txt', 'later\n');
    run.folder.write('c.txt', 'mine, later\n');
    const proposal = await run.propose();
    expect(proposal.changedSince).toEqual([{ path: 'c.txt', why: 'it was changed after the last turn' }]);
    expect(proposal.files.map(({ path }) => path)).toEqual(['a.txt', 'c.txt']);
    run.folder.write('c.txt', 'agent\n');
    await run.undo();
    expect(['a.txt', 'b.txt', 'c.txt', 'mine.txt'].map(run.folder.read)).toEqual(['a\n', 'mine, between turns\n', 'c\n', 'later\n']);
  });

  it('keeps what is forced away, under a ref too, and brings it back', async () => {
    const run = openRun({ 'a.txt': 'a\n' });
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    run.folder.write('a.txt', 'mine\r\n');
    await run.undo();
    expect(run.folder.read('a.txt')).toBe('a\n');
    expect(run.folder.git('show', 'refs/ralph/run-1/undo/1:a.txt')).toBe('mine\r\n');
    await run.undo();
    expect(run.folder.read('a.txt')).toBe('mine\r\n');
  });

  it('takes nothing for the work of a run that git ignored before', async () => {
    const run = openRun({ '.gitignore': 'secret.env\n', 'a.txt': 'a\n' });
    run.folder.write('secret.env', 'KEY=mine\n');
    await run.turn(() => {
      run.folder.write('.gitignore', '\n');
      run.folder.write('new.txt', 'new\n');
    });
    const proposal = await run.undo();
    expect(proposal.leftAlone).toEqual([{ path: 'secret.env', why: 'git ignored it before, so no snapshot has the old version' }]);
    expect(run.folder.read('secret.env')).toBe('KEY=mine\n');
    expect(existsSync(join(run.folder.path, 'new.txt'))).toBe(false);
  });

  it('is hindered by what stands where a file or a folder would be', async () => {
    const run = openRun({ 'dir/a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '*.log\n' });
    await run.turn(() => {
      run.folder.remove('dir');
      run.folder.remove('b.txt');
    });
    run.folder.link('dir', '/tmp');
    run.folder.write('b.txt/mine.log', 'mine\n');
    expect((await run.propose()).hindrances).toEqual([
      { path: 'b.txt/mine.log', why: 'b.txt would be a file, and this is in a folder of that name' },
      { path: 'dir', why: 'it is where the folder of dir/a.txt would be' },
    ]);
  });

  it('of a killed turn takes nothing for sure, and says so', async () => {
    const run = openRun({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    await run.turn(() => run.folder.write('b.txt', 'agent or me\n'), true);
    const proposal = await run.propose();
    expect(proposal.lostTurns).toEqual(['2.1']);
    expect(proposal.changedSince).toEqual([
      { path: 'b.txt', why: 'it was changed after the last snapshot, by you or in turn 2.1, whose end was not seen' },
    ]);
    await run.undo();
    expect(run.folder.status()).toEqual([]);
  });

  it('unstages what the run staged and leaves what a person staged', async () => {
    const run = openRun({ 'a.txt': 'a\n', 'mine.txt': 'old\n', 'both.txt': 'old\n' });
    run.folder.write('mine.txt', 'mine\n');
    run.folder.write('both.txt', 'staged by me\n');
    run.folder.git('add', 'mine.txt', 'both.txt');
    const staged = run.folder.git('diff', '--cached');
    await run.turn(() => {
      run.folder.write('a.txt', 'agent\n');
      run.folder.write('new.txt', 'agent\n');
      run.folder.write('both.txt', 'agent\n');
      run.folder.git('add', 'a.txt', 'new.txt');
    });
    const stagedByBoth = run.folder.git('diff', '--cached');
    await run.undo();
    expect(run.folder.git('diff', '--cached')).toBe(staged);
    expect(run.folder.status()).toEqual(['M  both.txt', 'M  mine.txt']);
    await run.undo();
    expect(run.folder.git('diff', '--cached')).toBe(stagedByBoth);
  });

  it('stages again what a person had staged before, whatever the run did to the index', async () => {
    const names = ['added', 'reset', 'taken', 'kept', 'back'];
    const run = openRun(Object.fromEntries(names.map((name) => [name, 'old\n'])));
    const { folder } = run;
    for (const name of [...names, 'new']) folder.write(name, 'staged by me\n');
    folder.git('add', '--all');
    folder.write('kept', 'and not staged\n');
    const staged = folder.git('ls-files', '--stage');
    const status = folder.status();
    await run.begin();
    await run.turn(() => {
      for (const name of ['added', 'reset', 'kept', 'taken']) folder.write(name, 'agent\n');
      folder.git('add', 'added', 'kept', 'taken');
      folder.git('reset', '--quiet', 'reset');
      folder.git('rm', '--quiet', '--cached', 'new');
      folder.write('new', 'agent\n');
      folder.git('rm', '--quiet', '--force', 'taken');
      folder.git('checkout', '--quiet', 'HEAD', '--', 'back');
    });
    const after = folder.git('ls-files', '--stage');
    await run.undo();
    expect([folder.git('ls-files', '--stage'), folder.status()]).toEqual([staged, status]);
    await run.undo();
    expect(folder.git('ls-files', '--stage')).toBe(after);
  });

  it('leaves a file staged that the last turn made what a person had staged', async () => {
    const run = openRun({ 'a.txt': 'old\n' });
    run.folder.write('a.txt', 'mine\n');
    run.folder.git('add', 'a.txt');
    await run.begin();
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    await run.turn(() => run.folder.write('a.txt', 'mine\n'));
    const staged = run.folder.git('ls-files', '--stage');
    await (await run.propose(1)).perform(run.save, 1000);
    expect([run.folder.read('a.txt'), run.folder.git('ls-files', '--stage')]).toEqual(['agent\n', staged]);
  });

  it('stages again what a file stood in the way of that the undo put back', async () => {
    const run = openRun({ 'b.txt': 'b\n', 'dir/a': 'a\n' });
    await run.turn(() => {
      run.folder.git('rm', '--quiet', 'b.txt');
      run.folder.git('mv', 'dir', 'b.txt');
    });
    run.folder.remove('b.txt');
    const staged = run.folder.git('ls-files', '--stage');
    await run.undo();
    expect([run.folder.read('b.txt'), run.folder.read('dir/a'), run.folder.status()]).toEqual(['b\n', 'a\n', []]);
    await run.undo();
    expect(run.folder.git('ls-files', '--stage')).toBe(staged);
  });

  it('works where there is no commit yet, where HEAD is detached, and after commits of the run, which stay', async () => {
    const run = openRun();
    rmSync(join(run.folder.path, '.git'), { recursive: true });
    run.folder.git('init', '--quiet');
    await run.turn(() => run.folder.write('kept.txt', 'agent\n'));
    await run.undo();
    expect([run.folder.read('kept.txt'), run.folder.status()]).toEqual(['kept\n', ['?? kept.txt']]);
    await run.undo();
    run.folder.git('add', '.');
    run.folder.git('commit', '-qm', 'of the run');
    run.folder.git('checkout', '--quiet', '--detach');
    await run.undo();
    expect([run.folder.read('kept.txt'), run.folder.status()]).toEqual(['kept\n', [' M kept.txt']]);
  });

  it('leaves submodules as they are', async () => {
    const sub = createTestRepository({ 'in.txt': '1\n' });
    const run = openRun();
    run.folder.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub.path, 'sub');
    run.folder.git('commit', '-qm', 'sub');
    await run.turn(() => {
      run.folder.write('kept.txt', 'agent\n');
      run.folder.write('sub/in.txt', '2\n');
      run.folder.git('-C', 'sub', '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qam', 'two');
      run.folder.git('add', 'sub');
      run.folder.git('commit', '-qam', 'moved');
    });
    const proposal = await run.undo();
    expect(proposal.leftAlone).toEqual([{ path: 'sub', why: 'it is a submodule, which has a history of its own' }]);
    expect([run.folder.read('kept.txt'), run.folder.read('sub/in.txt')]).toEqual(['kept\n', '2\n']);
  });

  it('never overwrites what an earlier one kept, also where nobody remembers that one', async () => {
    const run = openRun({ 'a.txt': 'a\n' });
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    await run.undo();
    run.forget();
    run.folder.write('a.txt', 'other\n');
    await run.undo();
    expect(run.folder.git('show', 'refs/ralph/run-1/undo/1:a.txt')).toBe('agent\n');
    expect(run.folder.git('show', 'refs/ralph/run-1/undo/2:a.txt')).toBe('other\n');
    expect(readFileSync(join(run.runFolder, 'undo/1/before/0'), 'utf8')).toBe('agent\n');
    rmSync(join(run.runFolder, 'undo'), { recursive: true });
    run.forget();
    run.folder.write('a.txt', 'third\n');
    await run.undo();
    expect(run.folder.git('show', 'refs/ralph/run-1/undo/3:a.txt')).toBe('third\n');
  });

  it('that was interrupted goes on where a file was moved away meanwhile, and brings its copy back after that', async () => {
    const run = openRun({ 'a.txt': 'a\n' });
    await run.turn(() => run.folder.write('a.txt', 'agent\n'));
    await run.beginUndo();
    run.folder.remove('a.txt');
    expect(await run.undo()).toMatchObject({ action: 'finish', hindrances: [], changedSince: [] });
    expect(run.folder.read('a.txt')).toBe('a\n');
    await run.undo();
    expect(run.folder.read('a.txt')).toBe('agent\n');
  });

  it('that was interrupted names what was changed meanwhile, and keeps it beside all that it kept before when it is forced', async () => {
    const run = openRun({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    await run.turn(() => {
      for (const name of ['a.txt', 'b.txt', 'new.txt']) run.folder.write(name, 'agent\n');
    });
    await run.beginUndo();
    run.folder.write('a.txt', 'mine\n');
    run.folder.write('new.txt', 'mine too\n');
    const why = 'it was changed since the undo was interrupted';
    expect(await run.propose()).toMatchObject({
      action: 'finish',
      hindrances: [],
      changedSince: [
        { path: 'a.txt', why },
        { path: 'new.txt', why },
      ],
    });
    await run.undo();
    expect([run.folder.read('a.txt'), run.folder.read('b.txt'), run.folder.status()]).toEqual(['a\n', 'b\n', []]);
    await run.undo();
    expect(['a.txt', 'b.txt', 'new.txt'].map(run.folder.read)).toEqual(['mine\n', 'agent\n', 'mine too\n']);
    expect(run.folder.git('show', 'refs/ralph/run-1/undo/1:a.txt')).toBe('agent\n');
  });

  it('refuses in the middle of a merge', async () => {
    const run = openRun();
    await run.turn(() => run.folder.write('kept.txt', 'agent\n'));
    run.folder.write('.git/MERGE_HEAD', '');
    await expect(run.propose()).rejects.toThrow('a merge is under way there');
  });
});

/** One thing that somebody does to the files. */
type Edit =
  | { readonly kind: 'write' | 'chmod' | 'link' | 'remove'; readonly path: string; readonly text: string; readonly to?: never }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'commit' | 'stage'; readonly path?: never };

const PATHS = ['a', 'b.txt', 'dir/a', 'dir/sub/b', 'dir', 'ü\n', 'ignored.log', 'dir/x.log', '.gitignore', '.gitattributes'];
const pathOf = fc.constantFrom(...PATHS);
const textOf = fc.constantFrom('', 'one\n', 'two\r\n', '\0\u00ff\0', '*.log\n', '* text=auto\n', 'long '.repeat(2000));
const editOf: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('write' as const, 'chmod' as const, 'link' as const, 'remove' as const),
      path: pathOf,
      text: textOf,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), path: pathOf, to: pathOf }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('commit' as const, 'stage' as const) }) },
);

function edit(folder: TestFolder, change: Edit): void {
  if (change.path === undefined) {
    folder.git('add', '--all');
    if (change.kind === 'commit') folder.git('commit', '--quiet', '--allow-empty', '-m', 'x');
    return;
  }
  const path = join(folder.path, change.path);
  try {
    if (change.kind === 'write') {
      mkdirSync(dirname(path), { recursive: true });
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(path);
      writeFileSync(path, change.text);
    } else if (change.kind === 'chmod') chmodSync(path, lstatSync(path).isFile() ? (lstatSync(path).mode & 0o777) ^ 0o111 : 0o755);
    else if (change.kind === 'link') symlinkSync(change.text.slice(0, 20).replaceAll('\0', '') || 'a', path);
    else if (change.kind === 'remove') rmSync(path, { recursive: true });
    else if (change.to !== undefined) folder.git('mv', '-f', change.path, change.to);
  } catch {
    // It is not there, or something else is.
  }
}

const RUNS = Number(process.env['RALPH_UNDO_HISTORIES'] ?? 0) || propertyRuns(40);

it('after any history takes exactly the work of the run back, and brings it back byte for byte', { timeout: 3_600_000 }, async () => {
  const edits = fc.array(editOf, { maxLength: 6 });
  const history = fc.record({
    before: edits,
    turns: fc.array(edits, { minLength: 1, maxLength: 3 }),
    later: fc.option(editOf, { nil: null, freq: 3 }),
    toTurn: fc.nat({ max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ before, turns, later, toTurn }) => {
      const run = openRun({ a: 'a\n', 'dir/a': 'a\n', 'b.txt': 'b\n' });
      const { folder } = run;
      for (const change of before) edit(folder, change);
      await run.begin();
      const states = [describeTree(folder.path)];
      for (const turn of turns) {
        await run.turn(() => {
          for (const change of turn) edit(folder, change);
        });
        states.push(describeTree(folder.path));
      }
      if (later !== null) edit(folder, later);
      const now = describeTree(folder.path);
      const staged = folder.git('ls-files', '--stage');
      const target = Math.min(toTurn, turns.length);
      const proposal = await run.propose(target);
      if (proposal.hindrances.length > 0) return;
      const touched = new Set(proposal.files.map(({ path }) => path));
      await proposal.perform(run.save, 1000);
      const undone = describeTree(folder.path);
      for (const path of new Set([...Object.keys(now), ...Object.keys(undone)])) {
        // What is not named is not touched; what is named is what it was, as far as git keeps it.
        if (!touched.has(path)) expect([path, undone[path]]).toEqual([path, now[path]]);
        else expect([path, normalise(undone[path])]).toEqual([path, normalise(states[target]?.[path])]);
      }
      if (proposal.files.length > 0) await run.undo();
      expect(describeTree(folder.path)).toEqual(now);
      expect(folder.git('ls-files', '--stage')).toBe(staged);
      removeTestFolders();
    }),
    { numRuns: RUNS },
  );
});

/** Attributes may change how lines end: git keeps them in one way alone. */
function normalise(described: string | undefined): string | undefined {
  if (described === undefined || described.startsWith('link')) return described;
  const [mode = '', bytes = ''] = described.split(' ');
  return `${Number.parseInt(mode, 8) & 0o100} ${Buffer.from(bytes, 'base64').toString('latin1').replaceAll('\r\n', '\n')}`;
}
