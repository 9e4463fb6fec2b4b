import { onDisplay } from './display.ts'
import { ROOT, run, runStep } from './step.ts'

/** The desktop specs, on Electron itself. In other runs, all of them use the double. */
const SPECS = ['tests/e2e/electron.test.ts', 'tests/e2e/electron-neighbours.test.ts']

await runStep(() => {
  const [program, ...args] = onDisplay('npx', 'vitest', 'run', '--project', 'browser', ...SPECS)
  run(program, args, { cwd: ROOT, env: { ...process.env, ASPY_REAL_ELECTRON: '1' } })
})
