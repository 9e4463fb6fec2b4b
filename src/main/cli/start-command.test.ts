import { expect, test } from 'vitest'
import { startCommand } from './start-command.ts'

test.each([
  [[], 'aspy'],
  [['serve'], 'aspy serve'],
  [['serve', '--data', '/home/me/my data', '--port', '3000'], "aspy serve --data '/home/me/my data' --port 3000"],
  [['serve', '--json', '--leave-after', '5', '--data', '/x'], 'aspy serve --data /x'],
  [['serve', '--leave-after=5'], 'aspy serve'],
])('%j is started again with %s', (given, command) => {
  expect(startCommand(given, 'aspy')).toBe(command)
})
