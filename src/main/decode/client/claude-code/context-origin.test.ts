import { expect, test } from 'vitest'
import { calledFile } from '../file-tools.ts'
import { contextOrigin as ofAnyClient } from '../context-origin.ts'
import { contextOrigin } from './context-origin.ts'

const reminder = (text: string) => ({ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` })

test.each([
  [
    reminder(
      "As you answer the user's questions, you can use the following context:\n# claudeMd\nCodebase and user instructions are shown below.\n\nContents of /home/ada/orbit/CLAUDE.md (project instructions, checked into the codebase):\n\nUse tabs.",
    ),
    { origin: 'claude_md', name: '/home/ada/orbit/CLAUDE.md' },
  ],
  [
    reminder('The following skills are available for use with the Skill tool:\n\n- review: Review a change'),
    { origin: 'skill', name: null },
  ],
  [
    { type: 'text', text: 'Base directory for this skill: /home/ada/.claude/skills/review\n\n# Review' },
    { origin: 'skill', name: 'review' },
  ],
  [
    reminder(
      `The following skills were invoked in this session. Continue to follow these guidelines:\n\n### Skill: review\nPath: /s/review\n\n${'Look. '.repeat(999)}\n\n---\n\n### Skill: pdf\nPath: /s/pdf\n\nRead.`,
    ),
    { origin: 'skill', name: 'review, pdf' },
  ],
  [reminder('# MCP Server Instructions\n\n## notes\nUse find.'), { origin: 'mcp_instructions', name: null }],
  [
    reminder('Called the Read tool with the following input: {"file_path":"/home/ada/note.txt"}'),
    { origin: 'file_read', name: '/home/ada/note.txt' },
  ],
  [reminder('Result of calling the Read tool:\n1\tA note.'), { origin: 'file_read', name: null }],
  [reminder('Your todo list is empty.'), { origin: 'reminder', name: null }],
  [
    { type: 'text', text: 'This session is being continued from a previous conversation that ran out of context.' },
    { origin: 'summary', name: null },
  ],
  [{ type: 'text', text: 'Contents of /home/ada/CLAUDE.md (what is it?)' }, null],
  [{ type: 'text', text: 'Which skills are available?' }, null],
  [
    { type: 'text', text: '<local-command-stdout>Compacted</local-command-stdout>\n' },
    { origin: 'reminder', name: null },
  ],
  ['plain', null],
  [{ type: 'image' }, null],
])('%j', (part, expected) => {
  expect(contextOrigin(part)).toEqual(expected)
})

test('a call names its file', () => {
  expect(calledFile({ file_path: '/a.ts', limit: 3 })).toBe('/a.ts')
  expect(calledFile({ notebook_path: '/a.ipynb' })).toBe('/a.ipynb')
  expect([{ file_path: 3 }, [], null, undefined, 'x'].map((input) => calledFile(input))).toEqual(Array(5).fill(null))
})

test('Codex names the skill that it loads', () => {
  const item = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const loaded = ofAnyClient(item('<skill>\n<name>pdf</name>\n<path>/s/pdf/SKILL.md</path>\nRead.\n</skill>'))
  expect(loaded).toEqual({ origin: 'skill', name: 'pdf' })
  expect(ofAnyClient(item('<skills_instructions>\n## Skills'))).toEqual({ origin: 'skill', name: null })
})
