import { expect, test } from 'vitest'
import { resumeCommand } from './resume-command.ts'

test('a session resumes in its folder, recorded, and a path cannot inject a command', () => {
  expect(resumeCommand({ id: '0193-a', project: '/home/ada/engine' }, "aspy --data '/my data'")).toBe(
    "cd /home/ada/engine && aspy --data '/my data' run -- claude --resume 0193-a",
  )
  expect(resumeCommand({ id: 'a; rm b', project: "/it's; rm -rf ~" }, 'aspy')).toBe(
    String.raw`cd '/it'\''s; rm -rf ~' && aspy run -- claude --resume 'a; rm b'`,
  )
  expect(resumeCommand({ id: 'a', project: null }, 'aspy')).toBe('aspy run -- claude --resume a')
  expect(resumeCommand({ id: 'codex-01a2', project: '/w' }, 'aspy')).toBe('cd /w && aspy run -- codex resume 01a2')
  expect(resumeCommand({ id: 'unnamed-1', project: '/w' }, 'aspy')).toBeNull()
})
