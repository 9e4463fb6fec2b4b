import { describe, expect, it } from 'vitest'
import { diffCharacters } from './character-diff.ts'

describe('a diff by characters', () => {
  it('marks only the characters that differ', () => {
    expect(diffCharacters('Today is 20 June.', 'Today is 21 June.')).toEqual([
      { kind: 'same', text: 'Today is 2' },
      { kind: 'removed', text: '0' },
      { kind: 'added', text: '1' },
      { kind: 'same', text: ' June.' },
    ])
  })

  it('finds several changes', () => {
    expect(diffCharacters('one two three', 'one 2 three!')).toEqual([
      { kind: 'same', text: 'one ' },
      { kind: 'removed', text: 'two' },
      { kind: 'added', text: '2' },
      { kind: 'same', text: ' three' },
      { kind: 'added', text: '!' },
    ])
  })

  it('never splits a character outside the basic plane', () => {
    expect(diffCharacters('a😀', 'a😁')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: '😀' },
      { kind: 'added', text: '😁' },
    ])
  })

  it.each([
    ['', ''],
    ['', 'new'],
    ['aaa', 'aa'],
    ['x'.repeat(20_000), 'y'.repeat(20_000)],
    [`${'one two '.repeat(150)}end`, `${'two three '.repeat(150)}end`],
    ['word, '.repeat(3000), 'other; '.repeat(2900)],
  ])('gives both texts back (case %#)', (before, after) => {
    const spans = diffCharacters(before, after)
    const without = (kind: string) =>
      spans
        .filter((span) => span.kind !== kind)
        .map(({ text }) => text)
        .join('')
    expect(without('added')).toBe(before)
    expect(without('removed')).toBe(after)
  })
})
