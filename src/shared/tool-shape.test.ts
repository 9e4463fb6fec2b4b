import { expect, test } from 'vitest'
import { changesOf } from './file-change.ts'
import { shapeSummary, toolLabel, toolShape } from './tool-shape.ts'

const kindOf = (name: string, input: Parameters<typeof toolShape>[1]) => toolShape(name, input).kind

test('calls of both clients are recognized by their fields, whatever the tool is called', () => {
  expect(kindOf('Bash', { command: 'npm test' })).toBe('command')
  expect(toolShape('shell', { command: ['bash', '-lc', 'npm test'], workdir: '/app' })).toEqual({
    kind: 'command',
    command: 'npm test',
    folder: '/app',
    about: null,
  })
  expect(kindOf('exec_command', { cmd: 'ls' })).toBe('command')
  expect(toolShape('Read', { file_path: '/a.ts', offset: 10, limit: 5 })).toEqual({
    kind: 'read',
    path: '/a.ts',
    from: 10,
    until: 14,
  })
  expect(kindOf('view_image', { path: '/a.png' })).toBe('read')
  expect(kindOf('Grep', { pattern: 'x', path: '/src' })).toBe('search')
  expect(kindOf('Glob', { pattern: '**/*.ts' })).toBe('search')
  expect(kindOf('WebFetch', { url: 'https://example.com', prompt: 'What?' })).toBe('web')
  expect(kindOf('web_search', { type: 'search', query: 'sqlite wal' })).toBe('web')
  expect(kindOf('TodoWrite', { todos: [{ content: 'a', status: 'completed' }] })).toBe('todo')
  expect(kindOf('update_plan', { plan: [{ step: 'a', status: 'pending' }] })).toBe('todo')
  expect(kindOf('TaskUpdate', { taskId: '3', status: 'completed' })).toBe('todo')
  expect(kindOf('AskUserQuestion', { questions: [{ question: 'Which?', options: [{ label: 'A' }] }] })).toBe('question')
  expect(kindOf('Agent', { description: 'Look', prompt: 'Look', subagent_type: 'Explore' })).toBe('agent')
  expect(['Bash', 'mcp__git_hub__get_issue'].map(toolLabel)).toEqual(['Bash', 'git_hub · get_issue'])
  expect(toolShape('mcp__git_hub__get_issue', { number: 3 })).toMatchObject({ server: 'git_hub', tool: 'get_issue' })
  expect(kindOf('Skill', { skill: 'x' })).toBe('other')
  expect(kindOf('odd', 'text')).toBe('other')
  expect(kindOf('odd', [1])).toBe('other')
})

test('edits of both clients have files and parts', () => {
  const edit = { file_path: '/a.ts', old_string: 'a', new_string: 'b' }
  expect(toolShape('Edit', edit)).toEqual({
    kind: 'edit',
    files: [{ path: '/a.ts', change: 'update', parts: [{ kind: 'replaced', before: 'a', after: 'b' }] }],
  })
  expect(toolShape('MultiEdit', { file_path: '/a.ts', edits: [edit, edit] })).toMatchObject({
    files: [{ parts: [{}, {}] }],
  })
  expect(toolShape('Write', { file_path: '/a.ts', content: '' })).toMatchObject({ files: [{ change: 'write' }] })
  expect(kindOf('NotebookEdit', { notebook_path: '/a.ipynb', new_source: 'x' })).toBe('edit')
  const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** Add File: c.ts\n+c\n*** End Patch'
  const files = [
    { path: 'a.ts', change: 'update', parts: [{ kind: 'lines', text: '-a\n+b' }] },
    { path: 'c.ts', change: 'add', parts: [{ kind: 'lines', text: '+c' }] },
  ]
  expect(toolShape('apply_patch', { input: patch })).toEqual({ kind: 'edit', files })
  expect(toolShape('shell', { command: ['apply_patch', patch] })).toEqual({ kind: 'edit', files })
  expect(shapeSummary(toolShape('apply_patch', { input: patch }))).toBe('2 files')
})

test('the numbered lines of a result replace what was asked', () => {
  const { files } = toolShape('Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b' }) as never as {
    files: Parameters<typeof changesOf>[0]
  }
  const hunk = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ['-a', '+b'] }
  expect(changesOf(files, { filePath: '/a.ts', structuredPatch: [hunk] })[0]?.parts).toEqual([
    { kind: 'lines', text: '-a\n+b', oldStart: 7, newStart: 7 },
  ])
  expect(changesOf(files, { filePath: '/a.ts', structuredPatch: [{ ...hunk, oldStart: null, newStart: null }] })).toBe(
    files,
  )
  expect(changesOf(files, undefined)).toBe(files)
})

test('a line says what a call is about', () => {
  const summary = (name: string, input: Parameters<typeof toolShape>[1]) => shapeSummary(toolShape(name, input))
  expect(summary('Bash', { command: 'npm test\nnpm run lint' })).toBe('npm test')
  expect(summary('Read', { file_path: '/a.ts', offset: 10, limit: 5 })).toBe('/a.ts:10–14')
  expect(summary('TodoWrite', { todos: [{ content: 'a', status: 'completed' }, { content: 'b' }] })).toBe('1 of 2 done')
  expect(summary('Skill', { skill: 'review' })).toBe('review')
  expect(summary('mcp__a__b', { number: 3, name: 'x' })).toBe('number: 3 · name: x')
})
