// A plugin of TypeDoc: modules have the names by which programs import them, and a page shows the
// example first, then all signatures in one block, then what each of them does.

import { MarkdownTheme, MarkdownThemeContext } from 'typedoc-plugin-markdown';
import { ParameterType, ReflectionKind } from 'typedoc';

export function load(app) {
  app.options.addDeclaration({ name: 'modules', help: 'file: name', type: ParameterType.Object });
  app.renderer.defineTheme('millrace', Theme);
  app.converter.on('resolveBegin', ({ project }) => {
    const names = new Map(Object.entries(app.options.getValue('modules')));
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const file = project.getSymbolIdFromReflection(module)?.fileName;
      module.name = names.get(file) ?? module.name;
      // `export =` repeats the members that are listed by name.
      for (const child of module.children ?? [])
        if (child.name === 'export=') project.removeReflection(child);
    }
  });
}

class Theme extends MarkdownTheme {
  getRenderContext(page) {
    return new Context(this, page, this.application.options);
  }
}

class Context extends MarkdownThemeContext {
  constructor(...args) {
    super(...args);
    const { pageTitle } = this.partials;
    Object.assign(this.partials, {
      pageTitle: () => titleWithModule(pageTitle.call(this), this.page.model),
      signatures: (model, options) => this.signaturesOf(model, options),
    });
  }

  /** Renders all signatures of a function or method. */
  signaturesOf({ signatures, comment }, { headingLevel }) {
    const [first] = signatures;
    const heading = (level, text) => `${'#'.repeat(level)} ${text}`;
    const examples = [comment, ...signatures.map((each) => each.comment)].flatMap(
      (each) => each?.blockTags.filter(({ tag }) => tag === '@example') ?? [],
    );
    const example = examples.map(({ content }) => this.helpers.getCommentParts(content));
    const parts = [
      ...(comment === undefined ? [] : [this.summaryOf(comment)]),
      ...(example.length === 0 ? [] : [heading(headingLevel + 1, 'Example'), ...example]),
      ...(signatures.length === 1 ? [] : [heading(headingLevel + 1, 'Signatures')]),
      signatures
        .map((each) => this.partials.signatureTitle(each, {}))
        .join('\n')
        .replaceAll(/\n```\n+```ts\n/g, '\n\n'),
    ];
    if (first.comment) parts.splice(0, 0, this.summaryOf(first.comment));
    let summary = parts[0];
    let tags;
    for (const each of signatures) {
      if (signatures.length > 1) parts.push(heading(headingLevel + 2, callOf(each)));
      const here = each.comment ? this.summaryOf(each.comment) : '';
      if (here !== summary) parts.push(here);
      summary = here;
      if (each.parameters?.length > 0) parts.push(this.partials.parametersTable(each.parameters));
      parts.push(this.returnsOf(each));
      const tagged = this.tagsOf(each.comment);
      if (tagged !== tags) parts.push(tagged);
      tags = tagged;
    }
    return parts.filter(Boolean).join('\n\n');
  }

  summaryOf(comment) {
    return this.partials.comment(comment, { showSummary: true, showTags: false });
  }

  returnsOf({ type, comment }) {
    const returned = comment?.getTag('@returns');
    const text =
      returned === undefined ? '' : `: ${this.helpers.getCommentParts(returned.content)}`;
    return type === undefined ? '' : `Returns ${this.partials.someType(type)}${text}`;
  }

  /** Renders what a comment has beside its summary, its example and its result. */
  tagsOf(comment) {
    if (!comment) return '';
    const rest = comment.clone();
    rest.removeTags('@example');
    return this.partials.comment(rest, { showSummary: false, showTags: true });
  }
}

/** The title of a page, with the module, which the search shows too. */
function titleWithModule(title, model) {
  for (let parent = model.parent; parent !== undefined; parent = parent.parent)
    if (parent.kind === ReflectionKind.Module)
      return `${title} <span class="module">${parent.name}</span>`;
  return title;
}

/** A call with the names of its parameters: `hash(algorithm, data, encoding?)`. */
function callOf({ name, parent, parameters = [] }) {
  const names = parameters.map(
    ({ name: parameter, flags }) =>
      `${flags.isRest ? '...' : ''}${parameter}${flags.isOptional ? '?' : ''}`,
  );
  const called = name === '__call' ? parent.name : name;
  return `${called}(${names.join(', ')})`;
}
