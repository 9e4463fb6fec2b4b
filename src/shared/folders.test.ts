import { expect, test } from 'vitest'
import { mainFolderOf } from './folders.ts'

test.each([
  ['/work/cli/.worktrees/one', '/work/cli'],
  ['/work/cli/.worktrees/ann/long-branch', '/work/cli'],
  ['/work/cli/.claude/worktrees/one', '/work/cli'],
  ['/work/cli.worktrees/one', '/work/cli'],
  ['C:\\work\\cli\\.worktrees\\one', 'C:\\work\\cli'],
  ['/work/cli/worktrees/one', '/work/cli/worktrees/one'],
  ['/work/cli/.worktrees', '/work/cli/.worktrees'],
  // A folder for the worktrees of all repositories does not say which one it is.
  ['/home/ann/.worktrees/cli/one', '/home/ann/.worktrees/cli/one'],
  ['/Users/ann/.cursor/worktrees/cli/one', '/Users/ann/.cursor/worktrees/cli/one'],
])('%s is of %s', (folder, main) => {
  expect(mainFolderOf(folder)).toBe(main)
})
