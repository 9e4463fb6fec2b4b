import { expect, test } from 'vitest'
import { toolBody, toolCall } from '../../../src/main/session-page/tool-call.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { Json } from '../../../src/shared/json.ts'
import { filesOf, toolShape } from '../../../src/shared/tool-shape.ts'
import { readStore } from '../../support/store/read-store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

/** The effect of a call, in one line: `$ command`, or each edited file with its lines. */
type Did = readonly string[]

const PATCH = '*** Begin Patch\n*** Update File: /app/a.ts\n@@\n-old\n+new\n+more\n*** End Patch'
const TWO_FILES = PATCH.replace('*** End', '*** Add File: /app/b.ts\n+made\n*** End')
const PATCHED: Did = ['/app/a.ts +2 −1']

const SHAPES: readonly (readonly [what: string, tool: string, input: Json, did: Did])[] = [
  ['a command', 'Bash', { command: 'npm test', description: 'Run it' }, ['$ npm test']],
  ['a command as Codex writes it', 'exec_command', { cmd: 'npm test', workdir: '/app' }, ['$ npm test']],
  ['a list of words', 'local_shell', { command: ['npm', 'test'] }, ['$ npm test']],
  ['a shell with options', 'shell', { command: ['/bin/bash', '-l', '-c', 'npm test'] }, ['$ npm test']],
  ['a script with its own arguments', 'shell', { command: ['bash', '-lc', 'echo $1', '_', 'x'] }, ['$ echo $1']],
  ['PowerShell', 'shell', { command: ['powershell.exe', '-NoProfile', '-Command', 'dir'] }, ['$ dir']],
  ['several commands', 'shell', { commands: ['npm test', 'npm run lint'] }, ['$ npm test npm run lint']],
  ['a patch as text', 'apply_patch', PATCH, PATCHED],
  ['a patch in `input`', 'apply_patch', { input: PATCH }, PATCHED],
  ['a patch in `patch`', 'apply_patch', { patch: PATCH }, PATCHED],
  ['a patch in `diff`', 'apply_patch', { diff: PATCH.replaceAll('\n', '\r\n') }, PATCHED],
  ['a patch of two files', 'apply_patch', { input: TWO_FILES }, [...PATCHED, '/app/b.ts +1 −0']],
  ['a patch as an argument', 'shell', { command: ['apply_patch', PATCH] }, PATCHED],
  ['a patch in a shell', 'shell', { command: `apply_patch <<'E'\n${PATCH}\nE` }, PATCHED],
  [
    'a patch in a shell, after a folder and before a command',
    'exec_command',
    { cmd: `cd /app && apply_patch <<'EOF'\n${PATCH}\nEOF\n - echo\n+echo` },
    PATCHED,
  ],
  ['a patch of a shell in a list', 'shell', { command: ['bash', '-lc', `apply_patch <<'E'\n${PATCH}\nE`] }, PATCHED],
  ['a patch that is only printed', 'Bash', { command: `cat <<E\n${PATCH}\nE` }, [`$ cat <<E ${PATCH} E`]],
  ['a replaced text', 'Edit', { file_path: '/app/a.ts', old_string: 'a\nb', new_string: 'a\nc\nd' }, PATCHED],
  [
    'several replaced texts',
    'MultiEdit',
    {
      file_path: '/app/a.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: '', new_string: 'c' },
      ],
    },
    PATCHED,
  ],
  ['a moved line', 'Edit', { file_path: '/app/a.ts', old_string: 'a\nb', new_string: 'b\na' }, ['/app/a.ts +1 −1']],
  ['a whole file', 'Write', { file_path: '/app/a.ts', content: 'one\ntwo\n' }, ['/app/a.ts +2 −0']],
  ['a cell', 'NotebookEdit', { notebook_path: '/app/a.ipynb', new_source: 'x' }, ['/app/a.ipynb +1 −0']],
  ['a diff', 'apply_patch', { type: 'update_file', path: '/app/a.ts', diff: '@@\n-a\n+b\n+c' }, PATCHED],
  ['a diff with its head', 'edit', { path: '/app/a.ts', diff: '--- a\n+++ b\n@@ -1 +1,2 @@\n-a\n+b\n+c\n' }, PATCHED],
  ['a deleted file', 'apply_patch', { type: 'delete_file', path: '/app/a.ts' }, ['/app/a.ts +0 −0']],
  ['an edit of an MCP server', 'mcp__acp__Write', { file_path: '/app/a.ts', content: 'x' }, ['/app/a.ts +1 −0']],
  ['a file elsewhere', 'mcp__github__create_file', { path: 'a.ts', content: 'x' }, []],
  ['a file that is read', 'Read', { file_path: '/app/a.ts' }, []],
  ['a search', 'Grep', { pattern: 'x', path: '/app/a.ts' }, []],
  [
    'a field named as an object has it',
    'odd',
    { path: '/app/a.ts', type: 'constructor', diff: '+x' },
    ['/app/a.ts +1 −0'],
  ],
]

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`

/** A session that asked, made the call, and was compacted. */
function sessionWith(tool_name: string, input: Json) {
  const call = { call_id: 'c', tool_name, message_id: 'm', index: 0, input }
  return readStore([
    draftOf('user_prompt', { text: 'Go on' }, { at: at(1), uuid: 'prompt', keys: ['prompt'] }),
    draftOf('tool_call', call, { at: at(2), uuid: 'call', keys: ['call'] }),
    draftOf(
      'tool_result',
      { call_id: 'c', tool_name, output: 'done', is_error: false, rejected: false },
      { at: at(3), parents: ['call'] },
    ),
    draftOf(
      'compaction',
      { trigger: 'auto', summary: 'Nothing.', tokens_before: null, tokens_after: null },
      { at: at(4), uuid: 'compaction', keys: ['compaction'] },
    ),
  ])
}

const editLine = (edit: { path: string; added: number; removed: number }) =>
  `${edit.path} +${edit.added} −${edit.removed}`

test.each(SHAPES)('%s is read alike by resume and packs', (_, tool, input, did) => {
  using store = sessionWith(tool, input)
  const resume = store.call<OperationOutput<'sessions.resume'>>('sessions.resume', { session_id: 's1', budget: 4000 })
  const commands = resume.commands.map((line) => line.replace(/: ok$/, ''))
  const edits = resume.files.map(editLine)
  const cut = did.map((line) => oneLine(line).slice(0, 160))
  expect([...commands, ...edits].map(oneLine)).toEqual(cut)
  const pack = store.call<OperationOutput<'recall.pack'>>('recall.pack', {
    turns: [{ session_id: 's1', turn_id: 1 }],
    actions: true,
    budget: 4000,
  })
  const named = /\[edits and commands[^\n]*\n((?:> .*\n?)*)/.exec(pack.text)?.[1] ?? ''
  const lines = named.split('\n').filter((line) => line !== '')
  expect(lines.map((line) => line.replace(/^> /, '').replace(/: ok$/, ''))).toEqual(cut)
})

test.each(SHAPES)('%s is read alike by the window and the session page', (_, tool, input, did) => {
  const shape = toolShape(tool, input)
  const said = shape.kind === 'command' ? [`$ ${oneLine(shape.command)}`] : []
  const edited = filesOf(shape).filter(({ isEdited }) => isEdited)
  const paths = did.map((line) => (line.startsWith('$ ') ? oneLine(line) : line.replace(/ \+\d+ −\d+$/, '')))
  expect([...said, ...edited.map(({ path }) => path)]).toEqual(paths)

  const event = {
    kind: 'tool_call',
    agent_id: null,
    project: null,
    ts_wall: at(1),
    payload: { tool_name: tool, input },
  }
  const html = toolBody(toolCall({ event } as never, null, null))
  const diff = [...html.matchAll(/<pre class="diff">([^]*?)<\/pre>/g)].map(([, lines]) => lines).join('\n')
  const marked = (sign: string) => (diff.match(new RegExp(`^<(?:ins|del)[^>]*>[${sign}]`, 'gm')) ?? []).length
  const sum = (pattern: RegExp) => did.reduce((total, line) => total + Number(pattern.exec(line)?.[1] ?? 0), 0)
  expect([marked('+'), marked('\\-')]).toEqual([sum(/ \+(\d+) −\d+$/), sum(/ −(\d+)$/)])
  expect(html.includes('<pre class="diff">')).toBe(edited.length > 0)
})

test.each(SHAPES)('%s names its files to what a compaction dropped', (_, tool, input) => {
  using store = sessionWith(tool, input)
  const { files } = store.call<OperationOutput<'compactions.dropped'>>('compactions.dropped', { uuid: 'compaction' })
  const expected = filesOf(toolShape(tool, input)).map(({ path, isEdited }) => [path, isEdited])
  expect(files.map(({ path, edited }) => [path, edited])).toEqual(expected)
})
