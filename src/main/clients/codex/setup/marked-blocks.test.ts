import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withBlocks, withoutBlocks } from './marked-blocks.ts'

const BLOCKS = { top: 'openai_base_url = "http://127.0.0.1:1"', tables: '[mcp_servers.aspy]' }

test('whatever the file says, without the blocks it is as it was', () => {
  const pieces = fc.constantFrom('\n', '\r\n', '\r', '\uFEFF', '# <<< aspy', 'a = 1', '[b]', '"""', ' ', 'é')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.boolean(), (list, hasTop) => {
      const text = list.join('')
      const blocks = hasTop ? BLOCKS : { ...BLOCKS, top: '' }
      expect(withoutBlocks(withBlocks(text, blocks))).toBe(text)
      expect(withBlocks(withoutBlocks(withBlocks(text, blocks)), blocks)).toBe(withBlocks(text, blocks))
    }),
  )
})

test('if the end of a block was deleted, what follows it stays', () => {
  const text = withBlocks('model = "mine"\n', BLOCKS)
  const damaged = text.replace('# <<< aspy\n', '')
  expect(withoutBlocks(damaged)).toContain('model = "mine"')
  expect(withoutBlocks(damaged)).not.toContain('[mcp_servers.aspy]')
})
