import { expect, test } from 'vitest'
import { resumeCommand } from './resume-command.ts'

test('a session is resumed in its folder, and nothing in a path is taken for a command', () => {
  expect(resumeCommand({ id: '0193-a', project: '/home/ada/engine' })).toBe(
    'cd /home/ada/engine && npx aspy run -- claude --resume 0193-a',
  )
  expect(resumeCommand({ id: 'a; rm b', project: "/it's; rm -rf ~" })).toBe(
    String.raw`cd '/it'\''s; rm -rf ~' && npx aspy run -- claude --resume 'a; rm b'`,
  )
  expect(resumeCommand({ id: 'a', project: null })).toBe('npx aspy run -- claude --resume a')
})
