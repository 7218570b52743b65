import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useChildFixture } from './child-fixtures.ts';
import { startProcess } from './start-process.ts';

const fixture = useChildFixture('input');
const long = 'prompt €\n'.repeat(30_000);

describe("a child's input", () => {
  it('is empty by default', async () => {
    expect(await startProcess(fixture.shell('cat; echo end')).result).toMatchObject({ exitCode: 0, stdoutBytes: 4 });
  });

  it('may be a text of 300 KB, read by descriptor or by name', async () => {
    for (const script of ['cat > got', 'cat /dev/stdin > got']) {
      const input = { kind: 'text', text: long } as const;
      expect(await startProcess(fixture.shell(script, { input })).result).toMatchObject({ exitCode: 0 });
      expect(fixture.read('got')).toBe(long);
    }
  });

  it('may be a file', async () => {
    writeFileSync(fixture.path('prompt.md'), long);
    await startProcess(fixture.shell('cat > got', { input: { kind: 'file', path: fixture.path('prompt.md') } })).result;
    expect(fixture.read('got')).toBe(long);
  });

  it('need not be read', async () => {
    const result = await startProcess(fixture.shell('exit 5', { input: { kind: 'text', text: long } })).result;
    expect(result).toMatchObject({ status: 'exited', exitCode: 5 });
  });

  it('may stay open for a conversation', async () => {
    const heard: string[] = [];
    const hearLine = (onLine: (line: string) => void): Promise<void> =>
      new Promise((resolve) => (answer = (line) => resolve(onLine(line))));
    let answer: (line: string) => void = () => {};
    const code = "require('readline').createInterface({input: process.stdin}).on('line', (l) => console.log('re: ' + l))";
    const handle = startProcess(fixture.node(code, { input: { kind: 'open' }, onStdoutLine: (line) => answer(line) }));
    for (const word of ['one', 'zwölf']) {
      const heardIt = hearLine((line) => heard.push(line));
      expect(await handle.write(word)).toBe(true);
      await heardIt;
    }
    handle.endInput();
    expect(await handle.result).toMatchObject({ status: 'exited', exitCode: 0 });
    expect(heard).toEqual(['re: one', 're: zwölf']);
    expect(await handle.write('late')).toBe(false);
  });

  it('may be closed early by the child: writing turns false, nothing breaks', async () => {
    const handle = startProcess(fixture.shell('exec 0<&-; echo closed; sleep 0.2; exit 6', { input: { kind: 'open' } }));
    const written = await Promise.all(Array.from({ length: 20 }, () => handle.write('x'.repeat(50_000))));
    expect(written).toContain(false);
    expect(await handle.result).toMatchObject({ status: 'exited', exitCode: 6 });
  });

  it('is settled for every waiting writer when the child ends', async () => {
    const handle = startProcess(fixture.shell('sleep 0.05', { input: { kind: 'open' } }));
    const writes = Promise.all(Array.from({ length: 20 }, () => handle.write('x'.repeat(100_000))));
    await handle.result;
    expect(await writes).toContain(false);
  });

  it('cannot be written to unless it was opened', async () => {
    const handle = startProcess(fixture.shell('cat'));
    expect(await handle.write('x')).toBe(false);
    handle.endInput();
    expect(await handle.result).toMatchObject({ exitCode: 0, stdoutBytes: 0 });
  });
});
