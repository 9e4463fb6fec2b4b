import { expect, test } from 'vitest'
import { createProgram } from '../../../src/main/cli/program.ts'
import { FIND_COMMANDS, LOOK_COMMANDS } from '../../../src/main/cli/reading/reading-commands.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { isOfThisMachine } from '../../../src/shared/contract/team.ts'
import { teamCannot } from '../../../src/shared/team-cannot.ts'
import { handlerOf } from '../../../src/main/team/server/handlers.ts'

/** A team's history is not streamed: the command reads its pages. */
const PAGED: Readonly<Record<string, string>> = { 'events.replay': 'events.list' }

test('exactly the commands that a team can answer offer --team', () => {
  const offers = createProgram().commands.flatMap((command) =>
    command.options.some(({ long, hidden }) => long === '--team' && !hidden) ? [command.name()] : [],
  )
  const answered = [...LOOK_COMMANDS, ...FIND_COMMANDS].flatMap(({ example, operation }) =>
    handlerOf(PAGED[operation] ?? operation) === undefined ? [] : [example.split(' ')[1]],
  )
  expect(answered.length).toBeGreaterThan(10)
  expect(offers.toSorted()).toEqual(answered.toSorted())
})

test('what a team cannot answer has a reason', () => {
  const names = OPERATIONS.map(({ name }) => name).filter((name) => !isOfThisMachine(name) && !(name in PAGED))
  const unexplained = names.filter((name) => handlerOf(name) === undefined && teamCannot(name) === undefined)
  expect(unexplained).toEqual([])
  expect(names.filter((name) => handlerOf(name) !== undefined).length).toBeGreaterThan(10)
})
