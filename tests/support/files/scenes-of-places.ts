import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { line, lines, type Told } from './scene.ts'

/** Situations of places. */
export const PLACES: { readonly [name: string]: Told } = {
  worktrees(s) {
    s.run('git init -q -b main')
    s.person('one/a.ts', '')
    s.run('rm -r one && mkdir one && cd one && git init -q -b main')
    s.person('one/a.ts', lines(line('p', 1), line('p', 2), line('p', 3), line('p', 4), line('p', 5), line('p', 6)))
    s.run('cd one && git add -A && git commit -qm x && git worktree add -q ../two -b two')
    const a = s.session('A', join(s.root, 'one')),
      b = s.session('B', join(s.root, 'two'))
    a.read('a0', 'a.ts')
    b.read('b0', 'a.ts')
    a.edit('a1', 'a.ts', line('p', 1), line('a1', 1))
    b.edit('b1', 'a.ts', line('p', 6), line('b1', 6))
    a.bash('a2', 'git commit -qam a')
    b.bash('b2', 'git commit -qam b')
    a.bash('a3', 'git merge -q -m m two')
    a.read('a4', 'a.ts')
    return { 'one/a.ts': 'a1 seen seen seen seen ?', 'two/a.ts': 'seen seen seen seen seen b1' }
  },
  worktreesPerson(s) {
    s.person('one/a.ts', lines(line('p', 1), line('p', 2), line('p', 3), line('p', 4), line('p', 5), line('p', 6)))
    s.run('cd one && git init -q -b main && git add -A && git commit -qm x && git worktree add -q ../two -b two')
    const a = s.session('A', join(s.root, 'one')),
      b = s.session('B', join(s.root, 'two'))
    a.read('a0', 'a.ts')
    b.read('b0', 'a.ts')
    a.edit('a1', 'a.ts', line('p', 1), line('a1', 1))
    b.edit('b1', 'a.ts', line('p', 6), line('b1', 6))
    s.run('cd two && git commit -qam b; cd ../one; git commit -qam a; git merge -q -m m two')
    a.read('a4', 'a.ts')
    return { 'one/a.ts': 'a1 seen seen seen seen seen', 'two/a.ts': 'seen seen seen seen seen b1' }
  },
  linkedFolder(s) {
    mkdirSync(join(s.root, 'real'))
    symlinkSync(join(s.root, 'real'), join(s.root, 'link'))
    const a = s.session('A', join(s.root, 'link'))
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
    return { 'link/a.ts': 'a1 a2 a1', 'real/a.ts': 'a1 a2 a1' }
  },
  linkedMixed(s) {
    mkdirSync(join(s.root, 'real'))
    symlinkSync(join(s.root, 'real'), join(s.root, 'link'))
    const a = s.session('A', join(s.root, 'real'))
    const b = s.session('B', join(s.root, 'link'))
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    b.edit('b1', 'a.ts', line('a1', 2) + '\n', '')
    b.edit('b2', 'a.ts', line('a1', 3), line('a1', 3) + '\n' + line('b2', 2))
    a.edit('a2', 'a.ts', line('a1', 1), line('a2', 1))
    return { 'link/a.ts': 'a2 a1 b2', 'real/a.ts': 'a2 a1 b2' }
  },
  linkInside(s) {
    s.person('src/x.ts', lines(line('p', 1)))
    symlinkSync(join(s.root, 'src'), join(s.root, 'lib'))
    const a = s.session('A')
    a.write('a1', 'src/a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    a.edit('a2', 'lib/a.ts', line('a1', 2), line('a2', 2))
    a.edit('a3', 'src/a.ts', line('a1', 3), line('a3', 3))
    return { 'src/a.ts': 'a1 ? a3', 'lib/a.ts': 'a1 a2 a3' }
  },
  linkToFile(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    symlinkSync('a.ts', join(s.root, 'b.ts'))
    a.edit('a2', 'b.ts', line('a1', 2), line('a2', 2))
    a.bash('a3', `sed -i --follow-symlinks 's/@a1$/@a3/' b.ts`)
    a.edit('a4', 'a.ts', line('a2', 2), line('a4', 2))
    return { 'a.ts': '? a4 ?', 'b.ts': '? a4 ?' }
  },
  linkBelowCommand(s) {
    s.person('src/x.ts', lines(line('p', 1)))
    symlinkSync('src', join(s.root, 'lib'))
    const a = s.session('A')
    a.write('a1', 'src/a.ts', lines(line('a1', 1), line('a1', 2)))
    a.bash('a2', `cd lib && echo '${line('a2', 3)}' >> a.ts`)
    a.bash('a3', `echo '${line('a3', 4)}' >> src/a.ts`)
    a.bash('a4', `rm lib/x.ts; mv lib/a.ts lib/b.ts`)
    return { 'src/b.ts': '? ? ? ?', 'lib/b.ts': 'a1 a1 a2 a3' }
  },
  mergedByPerson(s) {
    s.person('one/a.ts', lines(line('p', 1), line('p', 2), line('p', 3), line('p', 4), line('p', 5), line('p', 6)))
    s.run('cd one && git init -q -b main && git add -A && git commit -qm x && git worktree add -q ../two -b two')
    const a = s.session('A', join(s.root, 'one')),
      b = s.session('B', join(s.root, 'two'))
    a.read('a0', 'a.ts')
    b.write('b1', 'b.ts', lines(line('b1', 1), line('b1', 2)))
    b.edit('b2', 'a.ts', line('p', 6), line('b2', 6))
    a.edit('a1', 'a.ts', line('p', 1), line('a1', 1))
    s.run('cd two && git add -A && git commit -qm b; cd ../one; git commit -qam a; git merge -q -m m two')
    a.edit('a2', 'a.ts', line('b2', 6), line('a2', 6))
    a.edit('a3', 'b.ts', line('b1', 2), line('a3', 2))
    s.run('cd one && git commit -qam c; cd ../two; git cherry-pick main')
    b.edit('b3', 'a.ts', line('a2', 6), `${line('a2', 6)}\n${line('b3', 7)}`)
    return {
      'one/a.ts': 'a1 seen seen seen seen a2',
      'one/b.ts': 'seen a3',
      'two/a.ts': '? ? seen seen seen ? b3',
      'two/b.ts': 'b1 ?',
    }
  },
  renamed(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    a.bash('a2', 'git add -A && git commit -qm x')
    a.bash('a3', 'git mv a.ts b.ts')
    a.edit('a4', 'b.ts', line('a1', 2), line('a4', 2))
    s.person('a.ts', lines(line('p', 1), line('p', 2)))
    return { 'a.ts': '? ?', 'b.ts': 'a1 a4 a1' }
  },
  renamedByIde(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    renameSync(join(s.root, 'a.ts'), join(s.root, 'b.ts'))
    a.read('a2', 'b.ts')
    a.edit('a4', 'b.ts', line('a1', 2), line('a4', 2))
    return { 'b.ts': 'seen a4 seen' }
  },
  mvThenPerson(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2)))
    a.bash('a2', 'mv a.ts b.ts')
    s.person('a.ts', lines(line('a1', 1), line('p', 4)))
    a.read('a3', 'a.ts')
    a.edit('a4', 'a.ts', line('p', 4), line('a4', 4))
    return { 'a.ts': 'seen a4', 'b.ts': 'a1 a1' }
  },
  crlfBom(s) {
    const a = s.session('A')
    s.person('c.ts', lines(line('p', 1), '}', line('p', 3)).replaceAll('\n', '\r\n'))
    a.read('a0', 'c.ts')
    a.edit('a1', 'c.ts', '}', '}\n' + line('a1', 2) + '\n}')
    s.person('m.ts', line('p', 1) + '\r\n' + line('p', 2) + '\n' + line('p', 3))
    a.read('a2', 'm.ts')
    a.edit('a3', 'm.ts', line('p', 2), line('a3', 2))
    s.person('b.ts', '\ufeff' + lines(line('p', 1), line('p', 2)))
    a.read('a4', 'b.ts')
    a.edit('a5', 'b.ts', line('p', 2), line('a5', 2))
    return { 'c.ts': 'seen ? a1 ? seen', 'm.ts': 'seen a3 seen', 'b.ts': 'seen a5' }
  },
}
