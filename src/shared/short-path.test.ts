import { expect, test } from 'vitest'
import { shortPath } from './short-path.ts'

test.each([
  ['/home/dev/shop/src/a.ts', '/home/dev/shop', 'src/a.ts'],
  ['cat "/home/dev/shop/a" /home/dev/shop/b', '/home/dev/shop', 'cat "a" b'],
  ['/home/dev/shop-2/a.ts', '/home/dev/shop', '/home/dev/shop-2/a.ts'],
  ['/backup/home/dev/shop/a.ts', '/home/dev/shop', '/backup/home/dev/shop/a.ts'],
  ['/home/dev/shop', '/home/dev/shop', '/home/dev/shop'],
  ['C:\\dev\\shop\\a.ts', 'C:\\dev\\shop', 'a.ts'],
  ['/home/dev/shop/a.ts', null, '/home/dev/shop/a.ts'],
])('%s in %s is %s', (text, project, short) => expect(shortPath(text, project)).toBe(short))
