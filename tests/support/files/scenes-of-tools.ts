import { line, lines, type Told } from './scene.ts'

/** Situations of tools. */
export const TOOLS: { readonly [name: string]: Told } = {
  gits(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3), line('a1', 4)))
    a.bash('a2', 'git add -A && git commit -qm one')
    a.edit('a3', 'a.ts', line('a1', 2), line('a3', 2))
    a.bash('a4', 'git stash')
    a.read('a5', 'a.ts')
    a.bash('a6', 'git stash pop')
    a.read('a7', 'a.ts')
    a.bash('a8', 'git checkout -- a.ts')
    a.edit('a9', 'a.ts', line('a1', 3), line('a9', 3))
    a.bash('b1', 'git commit -qam two')
    a.bash('b2', 'git revert --no-edit HEAD')
    a.bash('b3', 'cat a.ts')
    a.edit('b4', 'a.ts', line('a1', 4), line('b4', 4))
    a.bash('b5', 'git commit -qam x; git checkout -q -b o HEAD~3; git cherry-pick main')
    a.read('b6', 'a.ts')
    return { 'a.ts': 'a1 a1 a1 b4' }
  },
  gitMergeConflict(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    a.bash('a2', 'git add -A && git commit -qm one && git checkout -qb work')
    a.edit('a3', 'a.ts', line('a1', 2), line('a3', 2))
    a.bash('a4', 'git commit -qam two && git checkout -q main')
    a.edit('a5', 'a.ts', line('a1', 2), line('a5', 2))
    a.bash('a6', 'git commit -qam three; git merge work')
    a.read('a7', 'a.ts')
    const t = s.text('a.ts')
    a.edit(
      'a8',
      'a.ts',
      t.slice(t.indexOf('<<<'), t.indexOf(line('a1', 3))),
      line('a5', 2) + '\n' + line('a8', 7) + '\n',
    )
    return { 'a.ts': 'a1 a5 a8 a1' }
  },
  patches(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3), line('a1', 4)))
    a.bash(
      'a2',
      `patch -p1 <<'EOF'\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n ${line('a1', 1)}\n+${line('a2', 5)}\n ${line('a1', 2)}\nEOF`,
    )
    a.read('a3', 'a.ts')
    a.bash(
      'a4',
      `git apply <<'EOF'\n--- a/a.ts\n+++ b/a.ts\n@@ -4,2 +4,3 @@\n ${line('a1', 3)}\n+${line('a4', 6)}\n ${line('a1', 4)}\nEOF`,
    )
    s.person(
      'fix.patch',
      `--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n ${line('a1', 1)}\n+${line('p', 7)}\n ${line('a2', 5)}\n`,
    )
    a.bash('a5', 'patch -p1 < fix.patch')
    a.read('a6', 'a.ts')
    return { 'a.ts': 'a1 ? ? a1 a1 ? a1' }
  },
  shells(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3), line('a1', 4)))
    a.bash('a2', `sed -i 's/@a1$/@a2/' a.ts`)
    a.bash('a3', `perl -pi -e 's/\\@a2/\\@a3/ if /a1/' a.ts`)
    a.bash('a4', `awk '{ print } END { print "${line('a4', 5)}" }' a.ts > tmp && mv tmp a.ts`)
    a.read('a4r', 'a.ts')
    a.bash('a5', `echo '${line('a5', 6)}' | tee -a a.ts`)
    a.bash('a6', `cat >> a.ts <<EOF\n${line('a6', 7)}\nEOF`)
    a.bash('a7', `cat > b.ts <<"EOF"\n${line('a7', 1)}\n$HOME\nEOF`)
    a.bash('a8', `cat > c.ts <<EOF\n${line('a8', 1)}\n$HOME \`echo hi\`\nEOF`)
    a.bash(
      'a9',
      `python3 - <<'EOF'\np='a.ts'\nt=open(p).read()\nopen(p,'w').write(t.replace('call_3', 'tall_3').replace('@a2','@a9'))\nEOF`,
    )
    a.edit('b1', 'a.ts', line('a5', 6), line('b1', 6))
    return { 'a.ts': '? ? ? ? ? b1 a6', 'b.ts': 'a7 a7', 'c.ts': '? ?' }
  },
  heredocs(s) {
    const a = s.session('A')
    a.bash('a1', `cat <<'X' > a.ts\n${line('a1', 1)}\n  X\n${line('a1', 2)}\nX`)
    a.bash('a2', `cat <<-\\EOF >> a.ts\n\t${line('a2', 3)}\n\tEOF`)
    a.bash('a3', `tee -a a.ts >/dev/null <<< '${line('a3', 4)}'`)
    a.bash('a4', `cat > b.ts << 'EOF' && sed -i 's/call_1/tall_1/' b.ts\n${line('a4', 1)}\nEOF`)
    a.bash('a5', `{ echo '${line('a5', 1)}'; echo '${line('a5', 2)}'; } > c.ts`)
    a.bash('a6', `(echo '${line('a6', 3)}') >> c.ts`)
    a.bash('a7', `cat > d.ts <<'EOF'\n${line('a7', 1)}\\\n${line('a7', 2)}\nEOF`)
    a.bash('a8', `cat > e.ts <<EOF\n${line('a8', 1)}\\\n${line('a8', 2)}\nEOF`)
    a.bash('a9', `bash -c "cat > g.ts" <<'EOF'\n${line('a9', 1)}\nEOF`)
    a.bash('b1', `cat <<'EOF' | sed 's/@b1/@b1/' > h.ts\n${line('b1', 1)}\nEOF`)
    return {
      'a.ts': 'a1 a1 a1 a2 ?',
      'b.ts': 'a4',
      'c.ts': '? ? ?',
      'd.ts': 'a7 a7',
      'e.ts': '?',
      'g.ts': '?',
      'h.ts': '?',
    }
  },
  formatters(s) {
    const a = s.session('A')
    const t = (l: string) => lines('class X {', '  const alpha = one(1)', `  ${line(l, 1)}`, `  ${line(l, 2)}`, '}')
    for (const [i, cmd] of [
      'npx prettier --write',
      'black',
      'gofmt -w',
      'rustfmt',
      'eslint --fix',
      'ruff format',
      'ruff check --fix',
    ].entries()) {
      a.write(`w${i}`, `f${i}.ts`, t(`w${i}`))
      a.bash(`x${i}`, `${cmd} f${i}.ts`)
      if (i % 2) a.read(`r${i}`, `f${i}.ts`)
      a.edit(`e${i}`, `f${i}.ts`, line(`w${i}`, 2), line(`e${i}`, 2))
    }
    return {
      'f0.ts': 'w0 w0 w0 e0 w0',
      'f1.ts': 'w1 w1 w1 e1 w1',
      'f2.ts': 'w2 w2 w2 e2 w2',
      'f3.ts': 'w3 w3 w3 e3 w3',
      'f4.ts': 'w4 w4 w4 e4 w4',
      'f5.ts': 'w5 w5 w5 e5 w5',
      'f6.ts': 'w6 w6 w6 e6 w6',
    }
  },
  resetByPerson(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    s.run('git add -A && git commit -qm one')
    a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
    a.edit('a3', 'a.ts', line('a1', 3), line('a3', 3))
    s.run('git checkout -q -- a.ts')
    a.edit('a4', 'a.ts', line('a1', 1), line('a4', 1))
    return { 'a.ts': 'a4 ? ?' }
  },
  resetAndEdited(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    s.run('git add -A && git commit -qm one')
    a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
    a.edit('a3', 'a.ts', line('a1', 3), line('a3', 3))
    s.run('git checkout -q -- a.ts')
    a.edit('a4', 'a.ts', line('a1', 2), line('a4', 2))
    return { 'a.ts': 'a1 a4 ?' }
  },
  stashByPerson(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    a.write('a1', 'a.ts', lines(line('a1', 1), line('a1', 2), line('a1', 3)))
    s.run('git add -A && git commit -qm one')
    a.edit('a2', 'a.ts', line('a1', 2), line('a2', 2))
    s.run('git stash -q')
    a.edit('a3', 'a.ts', line('a1', 3), line('a3', 3))
    s.run('git commit -qam two; git stash pop -q')
    a.read('a4', 'a.ts')
    return { 'a.ts': 'a1 seen ? a3 seen a2 ? seen' }
  },
  rebase(s) {
    const a = s.session('A')
    s.run('git init -q -b main')
    const far = Array.from({ length: 9 }, (_, at) => `// far ${at}`)
    a.write('a1', 'a.ts', lines(line('a1', 1), ...far, line('a1', 2)))
    a.bash('a2', 'git add -A && git commit -qm one && git checkout -qb work')
    a.edit('a3', 'a.ts', line('a1', 2), line('a3', 2))
    a.bash('a4', 'git commit -qam two && git checkout -q main')
    s.person('a.ts', s.text('a.ts').replace(line('a1', 1), line('p', 1)))
    a.bash('a5', 'git commit -qam three && git checkout -q work && git rebase -q main')
    a.edit('a6', 'a.ts', line('a3', 2), `${line('a3', 2)}\n${line('a6', 3)}`)
    return { 'a.ts': '? ? a1 a1 a1 a1 a1 a1 a1 a1 a3 a6' }
  },
  codegen(s) {
    const a = s.session('A')
    s.person('gen.sh', `printf '%s\\n' '${line('g1', 1)}' '${line('g1', 2)}' > out.ts\n`)
    a.bash('g1', 'sh gen.sh')
    a.read('g2', 'out.ts')
    a.edit('g3', 'out.ts', line('g1', 2), line('g3', 2))
    a.bash('g4', 'sh gen.sh')
    return { 'out.ts': 'seen seen' }
  },
  reformatUndone(s) {
    const a = s.session('A')
    const v = (l: string, x = '') => `const alpha = one(1, two) /* @${l} */${x}`
    a.write('a1', 'a.ts', lines(line('a1', 1), v('a1'), line('a1', 2)))
    a.edit('a2', 'a.ts', v('a1'), `${v('a1', ';')}`)
    s.person('a.ts', lines(line('a1', 1), v('a1'), line('a1', 2)))
    // and a change elsewhere, so that it is not the earlier text
    s.person('a.ts', lines(line('p', 7), line('a1', 1), v('a1'), line('a1', 2)))
    return { 'a.ts': '? a1 ? a1' }
  },
  reformatThenPersonTypes(s) {
    const a = s.session('A')
    const v = (x = '') => `const alpha = one(1, two, three)${x}`
    a.write('a1', 'a.ts', lines(line('a1', 1), v(), line('a1', 2)))
    a.edit('a2', 'a.ts', v() + '\n', '')
    a.edit('a3', 'a.ts', line('a1', 2), line('a1', 2) + '\n' + v(';'))
    s.person('a.ts', lines(line('p', 5), line('a1', 1), v(), line('a1', 2)))
    return { 'a.ts': '? a1 ? a1' }
  },
  sedReformatUndone(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), '  const alpha = one(1, two, three)', line('a1', 2)))
    a.bash('a2', `sed -i 's/  const alpha/    const alpha/' a.ts`)
    s.person('a.ts', lines(line('p', 5), line('a1', 1), '  const alpha = one(1, two, three)', line('a1', 2)))
    return { 'a.ts': '? a1 ? a1' }
  },
  writeReformatUndone(s) {
    const a = s.session('A')
    a.write(
      'a1',
      'a.ts',
      lines(line('a1', 1), '  const alpha = one(1, two, three)', '  const beta = line("x", 22)', line('a1', 2)),
    )
    a.write(
      'a2',
      'a.ts',
      lines(line('a1', 1), '    const alpha = one(1, two, three)', "  const beta = line('x', 22)", line('a1', 2)),
    )
    s.person(
      'a.ts',
      lines(
        line('p', 5),
        line('a1', 1),
        '  const alpha = one(1, two, three)',
        '  const beta = line("x", 22)',
        line('a1', 2),
      ),
    )
    a.read('a3', 'a.ts')
    return { 'a.ts': 'seen a1 ? ? a1' }
  },
  wrapUndone(s) {
    const a = s.session('A')
    a.write('a1', 'a.ts', lines(line('a1', 1), '  const alpha = one(first, second)', line('a1', 2)))
    a.edit('a2', 'a.ts', '  const alpha = one(first, second)', '  const alpha = one(\n    first,\n    second,\n  )')
    s.person('a.ts', lines(line('p', 5), line('a1', 1), '  const alpha = one(first, second)', line('a1', 2)))
    a.write('a3', 'b.ts', lines(line('a3', 1), '  const alpha = one(\n    first,\n    second,\n  )', line('a3', 2)))
    a.edit('a4', 'b.ts', '  const alpha = one(\n    first,\n    second,\n  )', '  const alpha = one(first, second)')
    s.person(
      'b.ts',
      lines(line('p', 5), line('a3', 1), '  const alpha = one(\n    first,\n    second,\n  )', line('a3', 2)),
    )
    return { 'a.ts': '? a1 ? a1', 'b.ts': '? a3 ? ? ? ? a3' }
  },
}
