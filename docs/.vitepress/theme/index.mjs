import DefaultTheme from 'vitepress/theme';

import Diagram from './Diagram.vue';
import LivePage from './LivePage.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Diagram', Diagram);
    app.component('LivePage', LivePage);
  },
};
