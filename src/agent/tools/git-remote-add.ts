import { z } from 'zod';
import { defineTool, fail, failWith, succeed } from '../tool/tool.ts';
import { checkRepository, failGit } from './git/check-repository.ts';
import { isRemoteName } from './git/git-names.ts';
import { checkGitUrl, hideUserInfo } from './git/git-url.ts';

const parameters = z.strictObject({
  name: z.string().describe('Name of the remote, such as origin.'),
  url: z.string().describe('Its address: https or ssh, without a password.'),
});

type Args = z.infer<typeof parameters>;

export const gitRemoteAddTool = defineTool<Args>({
  name: 'git_remote_add',
  group: 'git_write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  description: 'Adds a remote to the repository. A remote that is there keeps its address.',
  parameters,
  run: async ({ name, url }, context) => {
    if (!isRemoteName(name)) return fail('The remote has a name that git does not take.', 'Give a short name such as origin.');
    const checked = checkGitUrl(url, context.allowedPrivateHosts);
    if (!checked.ok) return fail(checked.refused.reason, checked.refused.advice);
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const { git } = opened.value;
    const known = await git(['config', '--get-all', `remote.${name}.url`]);
    if (known.ok) {
      if (known.stdout.trim() === url) return succeed(`The remote ${name} is there already, with this address.`);
      return fail(
        `There is a remote ${name} already: ${hideUserInfo(known.stdout.trim())}`,
        'Take another name; a person changes addresses.',
      );
    }
    const added = await git(['remote', 'add', '--', name, checked.value]);
    return added.ok ? succeed(`Added the remote ${name}: ${url}`) : failGit(added);
  },
});
