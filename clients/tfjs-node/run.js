// Runs the test program that ships with tfjs-node, dist/run_tests.js, and writes down what each spec did.
//
//   cd node_modules/@tensorflow/tfjs-node && node run.js LOG [--grep PATTERN]
//
// LOG gets a line for each step, so that the last line tells where a process died:
//
//   loading<TAB>FILE
//   started<TAB>NAME
//   passed|failed|excluded|pending<TAB>NAME<TAB>OP,OP,…<TAB>MESSAGE
//   finished
'use strict';
const fs = require('fs');
const path = require('path');
const Module = require('module');

const [log] = process.argv.splice(2, 1);
const require_there = Module.createRequire(path.resolve('package.json'));
const write = (...fields) =>
    fs.appendFileSync(log, fields.map(text => text.replace(/\s+/g, ' ')).join('\t') + '\n');

// tfjs-core ships its tests as ECMAScript modules. Those cannot be loaded by `require`, nor can a test replace
// what they export; its authors run them by way of this compiler too.
const typescript = require_there('typescript');
const modules = path.join('@tensorflow', 'tfjs-core', 'dist') + path.sep;
const compilerOptions = {module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2019};
const load_js = Module._extensions['.js'];
Module._extensions['.js'] = (module, file) => {
  if (!file.includes(modules) || path.basename(file).startsWith('tf-core')) {
    return load_js(module, file);
  }
  write('loading', path.basename(file));
  const {outputText} = typescript.transpileModule(fs.readFileSync(file, 'utf8'), {compilerOptions});
  module._compile(outputText, file);
};

// What the specs ask the library for.
let ops = new Set();
const load_addon = Module._extensions['.node'];
Module._extensions['.node'] = (module, file) => {
  load_addon(module, file);
  if (path.basename(file) === 'tfjs_binding.node') {
    const addon = module.exports;
    // Its own properties cannot be changed.
    module.exports = Object.create(addon, {
      executeOp: {
        value(name, ...rest) {
          ops.add(String(name));
          return addon.executeOp(name, ...rest);
        },
      },
    });
  }
};

const reporter = {
  specStarted({fullName}) {
    ops = new Set();
    write('started', fullName);
  },
  specDone({status, fullName, failedExpectations}) {
    write(status, fullName, [...ops].join(), failedExpectations.map(({message}) => message).join('; ').slice(0, 300));
  },
  suiteDone: outside,
  jasmineDone(result) {
    outside(result);
    write('finished');
  },
};

// A failure that is no spec's.
function outside({fullName, failedExpectations}) {
  for (const {message} of failedExpectations) {
    write('failed', `(outside of specs) ${fullName || ''}`, '', message.slice(0, 300));
  }
}

const Jasmine = require_there('jasmine');
const {loadConfig} = Jasmine.prototype;
// The tests of tfjs-node itself are in the package as JavaScript only.
Jasmine.prototype.loadConfig = function(config) {
  loadConfig.call(this, {...config, spec_files: ['dist/**/*_test.js']});
  this.clearReporters();
  this.addReporter(reporter);
};

require_there('./dist/run_tests.js');
