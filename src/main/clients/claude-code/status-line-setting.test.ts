import { expect, test } from 'vitest'
import { filesWithStatusLine } from './status-line-setting.ts'

test('a status line of ours is known by its command, wherever aspy is', () => {
  const file = (command: unknown) => ({ file: String(command), values: { statusLine: { type: 'command', command } } })
  const ours = ['aspy statusline', 'node /path/to/aspy/bin/aspy statusline', '"C:\\aspy\\aspy.cmd" statusline']
  const others = ['ccstatusline', 'aspy-statusline', 'my statusline of aspy', 7]
  expect(filesWithStatusLine([...ours, ...others].map(file))).toEqual(ours)
  expect(
    filesWithStatusLine([
      { file: 'a', values: null },
      { file: 'b', values: {} },
    ]),
  ).toEqual([])
})
