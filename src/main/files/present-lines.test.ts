import { expect, test } from 'vitest'
import { alignedLines } from './aligned-lines.ts'
import { presentLines } from './present-lines.ts'

const RECORDED = [
  'import a from alpha',
  '',
  'const one = first(order)',
  'const two = second(price)',
  '}',
  'const three = third(total)',
  '}',
  null,
]

const PRESENTS: {
  readonly [what: string]: readonly [
    present: readonly string[],
    recorded: readonly (number | null)[],
    reformatted: number,
  ]
} = {
  'the same': [
    [
      'import a from alpha',
      '',
      'const one = first(order)',
      'const two = second(price)',
      '}',
      'const three = third(total)',
      '}',
    ],
    [0, 1, 2, 3, 4, 5, 6],
    0,
  ],
  'lines that nobody recorded': [
    ['import b from beta', 'import a from alpha', '', 'const one = first(order)', '}'],
    [null, 0, 1, 2, null],
    0,
  ],
  'a block that was moved': [
    [
      'import a from alpha',
      '',
      'const three = third(total)',
      '}',
      'const one = first(order)',
      'const two = second(price)',
      '}',
    ],
    [0, null, 5, null, 2, 3, 4],
    0,
  ],
  'a line that a formatter changed': [
    ['import a from alpha', '', '  const one = first( order )', 'const two = second(price)'],
    [0, 1, 2, 3],
    1,
  ],
  'a line of which a formatter made several': [
    ['import a from alpha', '', 'const one = first(', '  order,', ')', 'const two = second(price)', '}'],
    [0, 1, 2, 2, 2, 3, 4],
    3,
  ],
  'lines to which a formatter added signs': [
    ['import a from alpha;', '', 'const one = first(', '  order,', ');', 'const two = second(price);', '}'],
    [0, 1, 2, 2, 2, 3, 4],
    5,
  ],
  'lines that a person wrote of the parts of another': [
    ['import a from alpha', '', 'const one = first(', '  orders,', ')', 'const two = second(price)'],
    [0, null, null, null, null, 3],
    0,
  ],
  'an empty line beside one that is there twice': [
    ['q', 'const one = first(order)', '', 'r', 'const one = first(order)', 's'],
    [null, null, null, null, null, null],
    0,
  ],
  'signs between lines that a formatter moved to the right': [
    ['  const two = second(price)', '  }', '  const three = third(total)', '  }'],
    [3, 4, 5, 6],
    4,
  ],
  'a space that a person wrote into a word': [
    ['import a from alpha', '', 'const one = first(or der)', 'const two = second(price)'],
    [0, null, null, 3],
    0,
  ],
  'a sign alone is not telling': [['}', 'x', '}'], [null, null, null], 0],
  'a part of a line that a person changed': [
    ['import a from alpha', '', 'const one = first(orders)', 'const two = second(price)', '}'],
    [0, null, null, 3, 4],
    0,
  ],
  "a line that a person wrote behind an agent's": [
    ['import a from alpha', '', 'const one = first(order)', 'const mine = first(stock)', 'const two = second(price)'],
    [0, 1, 2, null, 3],
    0,
  ],
  'signs of which the last one is at the end of what is known': [
    ['import b from beta', 'const three = third(total)', '}', ''],
    [null, 5, null, null],
    0,
  ],
  'nothing of it': [['x', 'y'], [null, null], 0],
}

test.each(Object.entries(PRESENTS))('%s', (_, [present, recorded, reformatted]) => {
  const found = presentLines(present, RECORDED).map((at) => (typeof at === 'number' ? at : null))
  expect(found).toEqual(recorded)
  expect(found.filter((at, index) => at !== null && RECORDED[at] !== present[index])).toHaveLength(reformatted)
})

test('a formatter may choose quotes, brackets around a name, and signs at ends', () => {
  const recorded = ["import   path from 'node:path'", 'const all = names.map(async name=>{ return first(name) })', '}']
  const present = [
    'import path from "node:path";',
    'const all = names.map(async (name) => {',
    '  return first(name);',
    '});',
    '}',
  ]
  expect(presentLines(present, recorded)).toEqual([0, 1, 1, 1, 'unsure'])
  const persons = [
    'import path from "node:paths";',
    'const all = names.map(async (name) => {',
    '  return last(name);',
    '});',
    '}',
  ]
  expect(presentLines(persons, recorded).filter((at) => at === 0 || at === 1)).toEqual([])
})

test('a formatter may put brackets around all of a value, which no list of one loses', () => {
  const recorded = ['result = rows.filter(first, second).count()', 'from shop.models import (Basket, Order)']
  const present = [
    'result = (',
    '    rows.filter(first, second)',
    '    .count()',
    ')',
    'from shop.models import Basket, Order',
  ]
  expect(presentLines(present, recorded, 'whole')).toEqual([0, 0, 0, 0, 1])
  for (const [before, after] of [
    ['const total = (price + taxes) * count(orders)', 'const total = price + taxes * count(orders)'],
    ['only_basket = (first_basket_of_all,)', 'only_basket = first_basket_of_all'],
    ['isSame = basket == (order, total)', 'isSame = basket == order, total'],
  ] as const)
    expect(presentLines([after], [before], 'part')).toEqual([null])
})

test('rows of a table keep their author where a call named each of them otherwise', () => {
  const row = (name: string, phase: string, event: string) => [
    '  {',
    `    name: '${name}',`,
    `    current: ${phase},`,
    `    event: ${event},`,
    '    parallel: true,',
    '  },',
  ]
  const rows = (prefix: string) => [
    ...row(`${prefix}one`, 'idle', 'start'),
    ...row(`${prefix}two`, 'idle', 'stop'),
    ...row(`${prefix}three`, 'active', 'start'),
    ...row(`${prefix}four`, 'active', 'stop'),
  ]
  const found = alignedLines(rows('first_'), rows(''), 'call')
  expect(found.map((at, index) => at === index)).toEqual(rows('').map((text) => !text.includes('name:')))
})

test('a line at the end of lines in a row may be another one of its text', () => {
  const row = ['{', 'const alpha = first(order, price)', '  return null']
  const found = alignedLines([...row, 'const beta = second()'], [...row, '  return null', 'const mine = 1'], 'part')
  expect(found.slice(0, 3)).toEqual([0, 1, 'unsure'])
})
