import { BlockList, isIP } from 'node:net'

/**
 * Addresses that no tunnel may lead to: this machine's own services, and a cloud's metadata service, which answers only
 * its own machines. Private networks are allowed: git and npm servers are there.
 */

const FORBIDDEN: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['127.0.0.0', 8, 'loopback'],
  ['0.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['224.0.0.0', 4, 'multicast'],
  ['255.255.255.255', 32, 'broadcast'],
  // Metadata services outside of the link-local range: Alibaba, Azure, Oracle, AWS over IPv6.
  ['100.100.100.200', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['192.0.0.192', 32, 'metadata'],
  ['fd00:ec2::', 32, 'metadata'],
  ['fd20:ce::254', 128, 'metadata'],
  ['::', 128, 'loopback'],
  ['::1', 128, 'loopback'],
  ['fe80::', 10, 'link-local'],
  ['ff00::', 8, 'multicast'],
]

/** IPv6 ranges that contain an IPv4 address: the first 16-bit group of it, and whether its bits are inverted. */
const EMBEDDING: readonly (readonly [network: string, prefix: number, group: number, isInverted: boolean])[] = [
  ['::', 96, 6, false],
  ['::ffff:0:0', 96, 6, false],
  ['::ffff:0:0:0', 96, 6, false],
  ['64:ff9b::', 96, 6, false],
  ['64:ff9b:1::', 48, 6, false],
  ['2002::', 16, 1, false],
  ['2001::', 32, 6, true],
]

const LISTS = FORBIDDEN.map(([network, prefix, what]) => ({ list: listOf(network, prefix), what }))
const EMBEDDINGS = EMBEDDING.map(([network, prefix, group, isInverted]) => ({
  list: listOf(network, prefix),
  group,
  isInverted,
}))

/** Returns the category of a forbidden IP address ("loopback"), or null if the address is allowed. */
export function forbiddenAs(address: string): string | null {
  const plain = address.replace(/%.*$/, '')
  const version = isIP(plain)
  if (version === 0) return 'not an address'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const found = LISTS.find(({ list }) => list.check(plain, family))
  if (found !== undefined) return found.what
  if (version === 4) return null
  const embedding = EMBEDDINGS.find(({ list }) => list.check(plain, 'ipv6'))
  return embedding === undefined ? null : forbiddenAs(embedded(plain, embedding))
}

/** Returns the IPv4 address within an IPv6 address. */
function embedded(address: string, { group, isInverted }: { group: number; isInverted: boolean }): string {
  const groups = groupsOf(address)
  const flip = isInverted ? 0xffff : 0
  const [high, low] = [(groups[group] ?? 0) ^ flip, (groups[group + 1] ?? 0) ^ flip]
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // The parser of URLs writes every form as groups of hex digits.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((digits) => Number.parseInt(digits, 16)))
  const [first, last] = [numbers(head), numbers(tail ?? '')]
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last]
}

function listOf(network: string, prefix: number): BlockList {
  const list = new BlockList()
  list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4')
  return list
}
